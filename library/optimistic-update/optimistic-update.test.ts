import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { OptimisticStore } from './optimistic-store.ts';
import { demo, RULES } from './optimistic-update.demo.ts';
import { type Change, OptimisticEntity, type Outcome, type Snapshot } from './optimistic-update.ts';

type Words = readonly string[];

/** An entity of words, a change that appends one, and hands on the writes in flight. */
function setup(state: Words = ['old'], version = 1) {
	const clock = new VirtualClock();
	const entity = new OptimisticEntity<Words>({ state, version }, { clock });
	const writes: {
		word: string;
		ok: (reply: Snapshot<Words>) => void;
		fail: (error: unknown) => void;
		signal: AbortSignal;
	}[] = [];
	const append = (word: string, undoMs?: number): Change<Words> => ({
		apply: (words) => [...words, word],
		send: (signal) => new Promise((ok, fail) => writes.push({ word, ok, fail, signal })),
		...(undoMs === undefined ? {} : { undoMs }),
	});
	/** Settles the latest write and lets everything follow. */
	const reply = async (snapshot: Snapshot<Words> | Error) => {
		const write = writes.at(-1);
		if (snapshot instanceof Error) write?.fail(snapshot);
		else write?.ok(snapshot);
		await clock.advance(0);
	};
	return { clock, entity, writes, append, reply, sent: () => writes.map(({ word }) => word) };
}

const status = async (done: Promise<Outcome>) => (await done).status;

describe('optimistic-update', () => {
	it('shows a change before change returns and before it is sent', () => {
		const { entity, append } = setup();
		const seen: string[] = [];
		entity.subscribe((view) => seen.push(`shown ${view.join(' ')}`));
		const send = (signal: AbortSignal) => {
			seen.push('sent');
			return append('new').send(signal);
		};
		entity.change({ ...append('new'), send });
		expect(entity.view).toEqual(['old', 'new']);
		expect(seen).toEqual(['shown old new', 'sent']);
	});

	it('keeps the change when the server confirms it, and takes what the server holds', async () => {
		const { entity, append, reply } = setup();
		const { done } = entity.change(append('new'));
		await reply({ state: ['old', 'NEW'], version: 2 });
		expect([await status(done), entity.view, entity.pending]).toEqual(['saved', ['old', 'NEW'], 0]);
	});

	it('restores exactly what was there when a change fails', async () => {
		const { entity, append, reply } = setup();
		const before = entity.view;
		const { done } = entity.change(append('new'));
		await reply(new Error('refused'));
		expect(await done).toEqual({ status: 'failed', error: new Error('refused') });
		expect(entity.view).toBe(before);
	});

	it('keeps the later changes, in order, when an earlier one fails, and still sends them', async () => {
		const { entity, append, reply, sent } = setup();
		const outcomes = ['a', 'b', 'c'].map((word) => entity.change(append(word)).done);
		expect(entity.view).toEqual(['old', 'a', 'b', 'c']);
		await reply(new Error('refused'));
		expect(entity.view).toEqual(['old', 'b', 'c']);
		await reply({ state: ['old', 'b'], version: 2 });
		expect(entity.view).toEqual(['old', 'b', 'c']);
		await reply(new Error('refused'));
		expect(entity.view).toEqual(['old', 'b']);
		expect([sent(), await Promise.all(outcomes.map(status))]).toEqual([
			['a', 'b', 'c'],
			['failed', 'saved', 'failed'],
		]);
	});

	it('shows after any outcomes the confirmed state with the open changes on it', async () => {
		const step = fc.constantFrom('change', 'ok', 'fail', 'push', 'old push', 'undo');
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
				const { entity, append, reply, writes, clock } = setup([], 0);
				let server: Snapshot<Words> = { state: [], version: 0 };
				let known: Words = [];
				let next = 0;
				let open: { word: string; undo: () => boolean }[] = [];
				const settled = new Set<unknown>();
				for (const one of steps) {
					const write = settled.has(writes.at(-1)) ? undefined : writes.at(-1);
					if (one === 'change') {
						const word = `w${next++}`;
						open.push({ word, undo: entity.change(append(word)).undo });
					} else if ((one === 'ok' || one === 'fail') && write) {
						settled.add(write);
						open = open.filter(({ word }) => word !== write.word);
						if (one === 'ok') server = { state: [...server.state, write.word], version: server.version + 1 };
						// What another client did in between becomes known with the reply, or with the push before it.
						if (one === 'ok') known = server.state;
						await reply(one === 'ok' ? server : new Error('refused'));
					} else if (one === 'push' && !write) {
						server = { state: [...server.state, `push${next++}`], version: server.version + 1 };
						known = server.state;
						entity.receive(server);
					} else if (one === 'old push') entity.receive({ state: ['ancient'], version: server.version - 1 });
					else if (one === 'undo') {
						const last = open.at(-1);
						if (last?.undo()) open.pop();
					}
					expect(entity.view).toEqual([...known, ...open.map(({ word }) => word)]);
				}
				entity.close();
				expect(clock.pending).toBe(0);
			}),
			{ seed: 24, numRuns: 150 },
		);
	});

	it('ignores a snapshot that is not newer than what is confirmed', async () => {
		const { entity, append, reply } = setup(['v5'], 5);
		entity.receive({ state: ['v4'], version: 4 });
		entity.receive({ state: ['other v5'], version: 5 });
		expect(entity.view).toEqual(['v5']);
		entity.receive({ state: ['v7'], version: 7 });
		entity.receive({ state: ['v6'], version: 6 });
		expect(entity.view).toEqual(['v7']);
		// A reply that was overtaken is as old as any other snapshot.
		const { done } = entity.change(append('w'));
		await reply({ state: ['v3', 'w'], version: 3 });
		expect([await status(done), entity.view]).toEqual(['saved', ['v7']]);
	});

	it('holds a snapshot back while a write is in flight, so that the change is not shown twice', async () => {
		const { entity, append, reply } = setup();
		const shown: string[] = [];
		entity.subscribe((view) => shown.push(view.join(' ')));
		entity.change(append('new'));
		entity.receive({ state: ['old', 'new'], version: 2 });
		entity.receive({ state: ['old', 'new', 'theirs'], version: 3 });
		entity.receive({ state: ['old', 'new'], version: 2 });
		await reply({ state: ['old', 'new'], version: 2 });
		expect(entity.view).toEqual(['old', 'new', 'theirs']);
		expect(shown).toEqual(['old new', 'old new theirs']);
	});

	it('learns from the held snapshot when the write failed though the server did it', async () => {
		const { entity, append, reply } = setup();
		const { done } = entity.change(append('new'));
		entity.receive({ state: ['old', 'new'], version: 2 });
		await reply(new Error('timeout'));
		expect([await status(done), entity.view]).toEqual(['failed', ['old', 'new']]);
		// It was used up: what comes next is judged afresh.
		entity.change(append('b'));
		await reply(new Error('refused'));
		expect(entity.view).toEqual(['old', 'new']);
	});

	it('takes a snapshot at once while a change only waits, and applies the change again on it', () => {
		const { entity, append } = setup();
		entity.change(append('mine', 100));
		entity.receive({ state: ['theirs'], version: 2 });
		expect(entity.view).toEqual(['theirs', 'mine']);
	});

	it('sends the writes of one entity one at a time, in the order of the changes', async () => {
		const { entity, append, reply, sent } = setup([], 0);
		for (const word of ['a', 'b', 'c']) entity.change(append(word));
		expect(sent()).toEqual(['a']);
		await reply({ state: ['a'], version: 1 });
		expect(sent()).toEqual(['a', 'b']);
		await reply(new Error('refused'));
		expect(sent()).toEqual(['a', 'b', 'c']);
		await reply({ state: ['a', 'c'], version: 2 });
		expect([sent(), entity.view]).toEqual([
			['a', 'b', 'c'],
			['a', 'c'],
		]);
	});

	it('keeps order though a later change has the shorter undo window', async () => {
		const { entity, append, clock, reply, sent } = setup([], 0);
		entity.change(append('slow', 300));
		entity.change(append('quick'));
		await clock.advance(299);
		expect(sent()).toEqual([]);
		await clock.advance(1);
		expect(sent()).toEqual(['slow']);
		await reply({ state: ['slow'], version: 1 });
		expect(sent()).toEqual(['slow', 'quick']);
	});

	it('gives one id one queue and lets different ids go side by side', async () => {
		const clock = new VirtualClock();
		const store = new OptimisticStore<Words>({ clock });
		const sent: string[] = [];
		const add = (id: string, word: string) =>
			store.open(id, { state: [], version: 0 }).change({
				apply: (words) => [...words, word],
				send: async (signal) => {
					sent.push(`${id}:${word}@${clock.now()}`);
					await clock.sleep(100, signal);
					return { state: [word], version: 1 };
				},
			}).done;
		const all = [add('x', '1'), add('y', '1'), add('x', '2')];
		expect(await clock.run(Promise.all(all.map(status)))).toEqual(['saved', 'saved', 'saved']);
		expect(sent).toEqual(['x:1@0', 'y:1@0', 'x:2@100']);
		expect(store.open('x', { state: ['newer'], version: 9 }).view).toEqual(['newer']);
		const last = add('x', '3');
		store.close('x');
		store.close('never opened');
		expect([await status(last), store.open('x', { state: ['again'], version: 1 }).view]).toEqual(['closed', ['again']]);
	});

	it('sends nothing that is undone in its window, and shows the view without it', async () => {
		const { entity, append, clock, sent } = setup();
		const before = entity.view;
		const { done, undo } = entity.change(append('oops', 500));
		await clock.advance(499);
		expect([undo(), undo()]).toEqual([true, false]);
		expect(entity.view).toBe(before);
		expect([await status(done), clock.pending]).toEqual(['undone', 0]);
		await clock.advance(1000);
		expect(sent()).toEqual([]);
	});

	it('refuses an undo once the change is sent, though it is not answered yet', async () => {
		const { entity, append, clock, reply, sent } = setup();
		const { done, undo } = entity.change(append('new', 500));
		await clock.advance(499.5);
		entity.receive({ state: ['old'], version: 2 });
		expect(sent()).toEqual([]);
		await clock.advance(0.5);
		expect([sent(), undo(), entity.view]).toEqual([['new'], false, ['old', 'new']]);
		await reply({ state: ['old', 'new'], version: 3 });
		expect([undo(), await status(done)]).toEqual([false, 'saved']);
	});

	it('undoes a change in the middle and keeps those around it', async () => {
		const { entity, append, clock, sent } = setup([], 0);
		const [, middle] = ['a', 'b', 'c'].map((word) => entity.change(append(word, 100)));
		expect(middle?.undo()).toBe(true);
		expect(entity.view).toEqual(['a', 'c']);
		await clock.advance(100);
		expect(sent()).toEqual(['a']);
	});

	it('goes on to the next change as soon as the one that held it up is undone', () => {
		const { entity, append, sent } = setup();
		const { undo } = entity.change(append('a', 5000));
		entity.change(append('b'));
		undo();
		expect(sent()).toEqual(['b']);
	});

	it('counts each window from its change, so that windows do not add up', async () => {
		const { entity, append, clock, reply, sent } = setup([], 0);
		entity.change(append('a', 100));
		entity.change(append('b', 100));
		await clock.advance(100);
		await reply({ state: ['a'], version: 1 });
		expect([sent(), clock.now()]).toEqual([['a', 'b'], 100]);
	});

	it('ends all undo windows on flush', async () => {
		const { entity, append, clock, reply, sent } = setup([], 0);
		entity.change(append('a', 5000));
		entity.change(append('b', 9000));
		entity.flush();
		expect(sent()).toEqual(['a']);
		await reply({ state: ['a'], version: 1 });
		expect([sent(), clock.now(), clock.pending]).toEqual([['a', 'b'], 0, 0]);
	});

	it('survives an undo window that is longer than a timer can be', async () => {
		const { entity, append, clock } = setup();
		const after = vi.spyOn(clock, 'after');
		entity.change(append('a', Number.POSITIVE_INFINITY));
		expect(after.mock.calls.map(([ms]) => ms)).toEqual([2 ** 31 - 1]);
		entity.close();
	});

	it('fails what no longer applies without sending it, and goes on with the next', async () => {
		const { entity, append, sent, clock } = setup(['x']);
		const gone: Change<Words> = {
			...append('gone', 100),
			apply: (words) => {
				if (!words.includes('x')) throw new Error('x is gone');
				return [...words, 'on x'];
			},
		};
		const first = entity.change(gone);
		entity.change(append('b'));
		entity.receive({ state: [], version: 2 });
		expect(await first.done).toEqual({ status: 'failed', error: new Error('x is gone') });
		expect([entity.view, sent(), clock.pending]).toEqual([['b'], ['b'], 0]);
	});

	it('changes nothing when apply throws at once', () => {
		const { entity, append, sent } = setup();
		const bad: Change<Words> = {
			...append('bad'),
			apply: () => {
				throw new Error('no');
			},
		};
		expect(() => entity.change(bad)).toThrow('no');
		expect([entity.view, entity.pending, sent()]).toEqual([['old'], 0, []]);
	});

	it('treats a synchronous throw of send as a failure', async () => {
		const { entity, append } = setup();
		const { done } = entity.change({
			...append('new'),
			send: () => {
				throw new Error('offline');
			},
		});
		expect([await status(done), entity.view]).toEqual(['failed', ['old']]);
	});

	it('ends every change once on close, aborts the write in flight and leaves no timer', async () => {
		const { entity, append, clock, writes } = setup();
		const listener = vi.fn();
		const [flying, waiting] = [entity.change(append('a')), entity.change(append('b', 100))];
		entity.subscribe(listener);
		entity.close();
		expect([await status(flying.done), await status(waiting.done)]).toEqual(['closed', 'closed']);
		expect([writes[0]?.signal.aborted, clock.pending, waiting.undo()]).toEqual([true, 0, false]);
		writes[0]?.fail(new Error('aborted'));
		entity.receive({ state: ['late'], version: 9 });
		entity.flush();
		await clock.advance(1000);
		expect([entity.view, writes.length, listener.mock.calls.length]).toEqual([['old', 'a', 'b'], 1, 0]);
		expect(() => entity.change(append('c'))).toThrow('closed');
		const idle = setup();
		idle.entity.change(idle.append('a', 100));
		idle.entity.close();
		idle.entity.receive({ state: ['late'], version: 9 });
		expect([idle.clock.pending, idle.entity.view]).toEqual([0, ['old', 'a']]);
	});

	it('tells every listener though one throws, and shows them the newest view when one changes again', () => {
		const errors: unknown[] = [];
		const { clock, append } = setup();
		const entity = new OptimisticEntity<Words>(
			{ state: [], version: 0 },
			{ clock, onListenerError: (error) => errors.push(error) },
		);
		entity.subscribe((view) => {
			if (view.length === 1) entity.change(append('b'));
		});
		entity.subscribe(() => {
			throw new Error('render failed');
		});
		const seen: string[] = [];
		const stop = entity.subscribe((view) => seen.push(view.join('')));
		entity.change(append('a'));
		expect([seen.at(-1), errors.length > 0]).toEqual(['ab', true]);
		expect(seen).not.toContain('a');
		stop();
		entity.change(append('c'));
		expect(seen.at(-1)).toBe('ab');
	});

	it('takes nothing for newer that has no version, nor a window that is no number', async () => {
		const { entity, append, reply } = setup(['v5'], 5);
		entity.receive({ state: ['?'], version: Number.NaN });
		const { done } = entity.change(append('w'));
		await reply({ state: ['?'], version: Number.NaN });
		expect([await status(done), entity.view]).toEqual(['saved', ['v5']]);
		entity.receive({ state: ['v4'], version: 4 });
		expect(entity.view).toEqual(['v5']);
		expect(() => entity.change({ ...append('x'), undoMs: Number.NaN })).toThrow('undoMs is not a number');
		expect([entity.view, entity.pending]).toEqual([['v5'], 0]);
	});

	it('works on the real clock', async () => {
		const entity = new OptimisticEntity<number>({ state: 1, version: 1 });
		const { done } = entity.change({ apply: (n) => n + 1, send: async () => ({ state: 2, version: 2 }), undoMs: 5 });
		expect([entity.view, await status(done), entity.view]).toEqual([2, 'saved', 2]);
		entity.change({ apply: (n) => n + 1, send: async () => ({ state: 3, version: 3 }), undoMs: 60_000 }).undo();
	});
});

describe('optimistic-update scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			failures: [0, 30, 100],
			latency: [50, 1000],
			undo: [0, 50, 600],
			seed: [1, 4, 50],
		});
	});

	it('shows the failures without it', async () => {
		expect((await playScenario(demo, { pattern: false })).broken.length).toBeGreaterThanOrEqual(4);
	});
});
