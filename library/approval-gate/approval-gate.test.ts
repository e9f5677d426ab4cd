import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { type BoundTools, createManifest, defineTool, type ToolResult } from '../tool-manifest/tool-manifest.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, RULES } from './approval-gate.demo.ts';
import { MemoryApprovalStore } from './approval-gate.memory.ts';
import {
	createApprovalGate,
	type GateOptions,
	type GateResult,
	type Pending,
	type Proposal,
	sha256,
} from './approval-gate.ts';

const START = 1_000_000;

/** A gate over one gated and one free tool, with a record of the argument text that each handler was given. */
function setup(change: Partial<GateOptions> = {}, work: () => unknown = () => 'sent') {
	const clock = new VirtualClock(START);
	const store = new MemoryApprovalStore();
	const ran: { tool: string; args: string; caller: string }[] = [];
	const tool = (name: string) =>
		defineTool({
			name,
			description: name,
			area: 'mail',
			effect: 'write',
			input: { type: 'object', properties: { to: {}, text: {} } },
			parse: (input) => JSON.stringify(input),
			handle: (args, { caller }) => {
				ran.push({ tool: name, args, caller: caller.id });
				return work();
			},
		});
	const open = createManifest([tool('send'), tool('draft')]);
	let count = 0;
	const gate = createApprovalGate({
		store,
		free: ['draft'],
		mayDecide: (approver) => approver === 'maria',
		decideWithinMs: 1000,
		useWithinMs: 500,
		now: clock.now,
		newId: () => `p${++count}`,
		...change,
	});
	const session = (id: string) => gate.guard(open({ id, scopes: ['mail:write'] }), id);
	return { clock, store, ran, gate, session, agent: session('ann'), open };
}

function proposed(result: ToolResult): Proposal {
	if (!result.ok) throw new Error(result.error.message);
	const { status, proposal } = result.value as Pending;
	expect(status).toBe('approval_required');
	return proposal;
}

const code = (result: GateResult) => (result.ok ? 'ok' : result.error.code);
const mail = { to: 'bob', text: 'hello' };

describe('approval-gate', () => {
	it('runs an approved call with exactly the text that the approver saw', async () => {
		const { agent, gate, ran } = setup();
		const proposal = proposed(await agent.call('send', '{ "to": "bob",  "text": "a", "text": "b" }'));
		expect(proposal.args).toBe('{"to":"bob","text":"b"}');
		expect(ran).toEqual([]);
		expect(await gate.decide('maria', proposal.id, proposal.digest, 'approved')).toBe('recorded');
		expect(await agent.resume(proposal.id)).toEqual({ ok: true, value: 'sent' });
		expect(ran).toEqual([{ tool: 'send', args: proposal.args, caller: 'ann' }]);
	});

	it('runs nothing when any part of the stored proposal differs from what was approved', async () => {
		const changes: Partial<Proposal>[] = [
			{ args: '{"to":"bob","text":"hello "}' },
			{ tool: 'draft' },
			{ callerId: 'eve' },
			{ id: 'p9' },
			{ decideBefore: START + 999_999 },
		];
		for (const change of changes) {
			for (const forge of [false, true]) {
				const { agent, session, gate, store, ran } = setup();
				const proposal = proposed(await agent.call('send', mail));
				await gate.decide('maria', proposal.id, proposal.digest, 'approved');
				const entry = store.entries.get(proposal.id);
				if (!entry) throw new Error('no entry');
				const changed = { ...proposal, ...change };
				const { id, callerId, tool, args, decideBefore } = changed;
				// The stored digest stays as it was, or is made to fit the change: neither must help.
				const text = JSON.stringify(['approval/1', id, callerId, tool, args, decideBefore]);
				const digest = forge ? await sha256(text) : proposal.digest;
				store.entries.set(proposal.id, { ...entry, proposal: { ...changed, digest } });
				expect(code(await session(callerId).resume(proposal.id))).toBe('changed');
				expect(ran).toEqual([]);
			}
		}
	});

	it('runs the copy that it compared, though the stored object changes during the comparison', async () => {
		let hashing: () => void = () => undefined;
		const digest = async (text: string) => {
			hashing();
			return sha256(text);
		};
		const { agent, gate, store, ran } = setup({ digest });
		const proposal = proposed(await agent.call('send', mail));
		await gate.decide('maria', proposal.id, proposal.digest, 'approved');
		const stored = store.entries.get(proposal.id)?.proposal;
		const text = proposal.args;
		hashing = () => void Object.assign(stored ?? {}, { args: '{"to":"eve","text":"all"}' });
		expect(code(await agent.resume(proposal.id))).toBe('ok');
		expect(ran.map((call) => call.args)).toEqual([text]);
	});

	it('gives different proposals different digests, however their parts are cut', async () => {
		const text = fc.string({ unit: 'binary', maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(text, text, text, text, async (to1, text1, to2, text2) => {
				const { agent } = setup({ newId: () => 'same' });
				const other = setup({ newId: () => 'same' });
				const one = proposed(await agent.call('send', { to: to1, text: text1 }));
				const two = proposed(await other.agent.call('send', { to: to2, text: text2 }));
				expect(one.digest === two.digest).toBe(to1 === to2 && text1 === text2);
			}),
			{ seed: 22, numRuns: 60 },
		);
		const ids = setup();
		const again = [proposed(await ids.agent.call('send', mail)), proposed(await ids.agent.call('send', mail))];
		expect(again[0]?.digest).not.toBe(again[1]?.digest);
	});

	it('runs once for any number of resumptions, concurrent and later ones', async () => {
		const { agent, gate, ran, clock } = setup({}, () => clock.sleep(100));
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		const outcomes = await clock.run(Promise.all([1, 2, 3, 4].map(() => agent.resume(id))));
		expect(outcomes.map(code).sort()).toEqual(['ok', 'used', 'used', 'used']);
		expect(code(await agent.resume(id))).toBe('used');
		expect(ran).toHaveLength(1);
	});

	it('has spent the approval by the time the tool runs, and gives no second one when the tool fails', async () => {
		const spent: (boolean | undefined)[] = [];
		const { agent, gate, store, ran } = setup({}, () => {
			spent.push(store.entries.get('p1')?.spent);
			throw new Error('the process dies here');
		});
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		expect(code(await agent.resume(id))).toBe('failed');
		expect(spent).toEqual([true]);
		expect(code(await agent.resume(id))).toBe('used');
		expect(ran).toHaveLength(1);
	});

	it('takes no decision from the moment on at which the proposal ends', async () => {
		const { agent, gate, clock, ran } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		await clock.advance(999);
		expect(code(await agent.resume(id))).toBe('pending');
		await clock.advance(1);
		expect(await gate.decide('maria', id, digest, 'approved')).toBe('expired');
		expect(code(await agent.resume(id))).toBe('expired');
		expect(ran).toEqual([]);
	});

	it('refuses lifetimes that never end', () => {
		for (const wrong of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY])
			for (const change of [{ decideWithinMs: wrong }, { useWithinMs: wrong }])
				expect(() => setup(change)).toThrow('decideWithinMs and useWithinMs are finite and above 0');
	});

	it('runs an approval until its end and not at it', async () => {
		for (const [wait, expected] of [
			[499, 'ok'],
			[500, 'expired'],
		] as const) {
			const { agent, gate, clock, ran, store } = setup();
			const { id, digest } = proposed(await agent.call('send', mail));
			await clock.advance(999);
			await gate.decide('maria', id, digest, 'approved');
			await clock.advance(wait);
			expect(code(await agent.resume(id))).toBe(expected);
			expect(ran).toHaveLength(expected === 'ok' ? 1 : 0);
			expect(store.entries.get(id)?.spent).toBe(expected === 'ok');
		}
	});

	it('runs nothing when the approval ends while a slow store spends it', async () => {
		const { agent, gate, clock, ran, store } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		const spend = store.spend;
		store.spend = async (...args) => {
			await clock.sleep(500);
			return spend(...args);
		};
		expect(code(await clock.run(agent.resume(id)))).toBe('expired');
		expect(ran).toEqual([]);
	});

	it('does not lengthen an approval when the clock steps back behind it', async () => {
		let now = START;
		const { agent, gate, ran } = setup({ now: () => now });
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		now -= 1;
		expect(code(await agent.resume(id))).toBe('expired');
		expect(ran).toEqual([]);
	});

	it('refuses a decision on anything but what is stored now', async () => {
		const { agent, gate, store } = setup();
		const seen = proposed(await agent.call('send', mail));
		const entry = store.entries.get(seen.id);
		if (!entry) throw new Error('no entry');
		// The digest is left as it was: a gate that trusts the stored one would agree.
		store.entries.set(seen.id, { ...entry, proposal: { ...seen, args: '{"to":"eve"}' } });
		expect(await gate.decide('maria', seen.id, seen.digest, 'approved')).toBe('changed');
		expect(store.entries.get(seen.id)?.decision).toBeUndefined();

		const other = proposed(await agent.call('send', mail));
		expect(await gate.decide('maria', other.id, seen.digest, 'approved')).toBe('changed');
		expect(await gate.decide('maria', 'p99', seen.digest, 'approved')).toBe('unknown_proposal');
	});

	it('runs nothing without an approval, be it asked again, denied or never declared free', async () => {
		const { agent, gate, ran, clock } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		expect(code(await agent.resume(id))).toBe('pending');
		await clock.advance(900);
		expect(code(await agent.resume(id))).toBe('pending');
		await gate.decide('maria', id, digest, 'denied');
		expect(code(await agent.resume(id))).toBe('denied');
		proposed(await setup({ free: [] }).agent.call('draft', mail));
		expect(ran).toEqual([]);
	});

	it('runs a free tool at once, and files nothing for a tool that is not listed or for broken arguments', async () => {
		const { agent, ran, store, gate, open } = setup();
		expect(code(await agent.call('draft', mail))).toBe('ok');
		expect(ran.map((call) => call.tool)).toEqual(['draft']);
		expect(code(await agent.call('erase', {}))).toBe('unknown_tool');
		expect(code(await gate.guard(open({ id: 'bob', scopes: [] }), 'bob').call('send', mail))).toBe('unknown_tool');
		expect(code(await agent.call('send', '{"to":'))).toBe('invalid_arguments');
		expect(code(await agent.call('send', { to: 1n }))).toBe('invalid_arguments');
		expect(store.entries.size).toBe(0);
		expect(agent.list().map((tool) => tool.name)).toEqual(['send', 'draft']);
	});

	it('records approvals and denials with who, when and the digest, and keeps the first', async () => {
		const { agent, gate, store, clock } = setup();
		const yes = proposed(await agent.call('send', mail));
		const no = proposed(await agent.call('send', mail));
		await clock.advance(120);
		await gate.decide('maria', yes.id, yes.digest, 'approved');
		await gate.decide('maria', no.id, no.digest, 'denied');
		const at = START + 120;
		const trail = [...store.entries.values()].map((entry) => entry.decision);
		expect(trail).toEqual([
			{ verdict: 'approved', by: 'maria', at, digest: yes.digest, useBefore: at + 500 },
			{ verdict: 'denied', by: 'maria', at, digest: no.digest, useBefore: at + 500 },
		]);
		expect(await gate.decide('maria', no.id, no.digest, 'approved')).toBe('already_decided');
		expect(store.entries.get(no.id)?.decision?.verdict).toBe('denied');
	});

	it('lets one of two concurrent decisions count and tells the other', async () => {
		const { agent, gate, store } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		const outcomes = await Promise.all([
			gate.decide('maria', id, digest, 'denied'),
			gate.decide('maria', id, digest, 'approved'),
		]);
		expect(outcomes.sort()).toEqual(['already_decided', 'recorded']);
		expect(store.entries.get(id)?.decision?.verdict).toBe('denied');
	});

	it('has decided nothing when the record fails, and says so by rejecting', async () => {
		const { agent, gate, store, ran } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		store.decide = async () => {
			throw new Error('disk full');
		};
		await expect(gate.decide('maria', id, digest, 'approved')).rejects.toThrow('disk full');
		expect(code(await agent.resume(id))).toBe('pending');
		expect(ran).toEqual([]);
	});

	it('admits only whom the policy admits, and nobody when the policy fails', async () => {
		const policies: GateOptions['mayDecide'][] = [
			(approver) => approver === 'maria',
			async () => false,
			() => {
				throw new Error('directory is down');
			},
			() => Promise.reject(new Error('directory is down')),
			(() => 'maybe') as unknown as GateOptions['mayDecide'],
		];
		for (const mayDecide of policies) {
			const { agent, gate, store } = setup({ mayDecide });
			const { id, digest } = proposed(await agent.call('send', mail));
			expect(await gate.decide('ann', id, digest, 'approved')).toBe('not_allowed');
			expect(store.entries.get(id)?.decision).toBeUndefined();
		}
		expect(Object.keys(setup().agent).sort()).toEqual(['call', 'list', 'resume']);
	});

	it('resumes a proposal only for the caller that it was made for', async () => {
		const { agent, session, gate, ran } = setup();
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		expect(code(await session('eve').resume(id))).toBe('unknown_proposal');
		expect(code(await agent.resume('p99'))).toBe('unknown_proposal');
		expect(ran).toEqual([]);
		expect(code(await agent.resume(id))).toBe('ok');
	});

	it('spends nothing on a signal that is aborted already, and hands the signal on', async () => {
		const { agent, gate, store, clock, ran } = setup({}, () => clock.sleep(1000));
		const { id, digest } = proposed(await agent.call('send', mail));
		await gate.decide('maria', id, digest, 'approved');
		expect(code(await agent.resume(id, AbortSignal.abort()))).toBe('aborted');
		expect([store.entries.get(id)?.spent, ran.length]).toEqual([false, 0]);
		const abort = new AbortController();
		clock.after(10, () => abort.abort());
		expect(code(await clock.run(agent.resume(id, abort.signal)))).toBe('aborted');
	});

	it('answers a failing store as data and runs nothing', async () => {
		const broken = async () => {
			throw new Error('down');
		};
		const filing = setup();
		filing.store.add = broken;
		expect(code(await filing.agent.call('send', mail))).toBe('failed');
		for (const method of ['load', 'spend'] as const) {
			const { agent, gate, store, ran } = setup();
			const { id, digest } = proposed(await agent.call('send', mail));
			await gate.decide('maria', id, digest, 'approved');
			store[method] = broken;
			expect(code(await agent.resume(id))).toBe('unavailable');
			expect(ran).toEqual([]);
		}
	});

	it('works with real ids and the real clock', async () => {
		const tools: BoundTools = {
			list: () => [{ name: 'send', description: '', input: {} }],
			call: async (_name, args) => ({ ok: true, value: args }),
		};
		const gate = createApprovalGate({
			store: new MemoryApprovalStore(),
			free: [],
			mayDecide: () => true,
			decideWithinMs: 60_000,
			useWithinMs: 60_000,
		});
		const agent = gate.guard(tools, 'ann');
		const { id, digest } = proposed(await agent.call('send', undefined));
		expect(digest).toMatch(/^[0-9a-f]{64}$/);
		await gate.decide('maria', id, digest, 'approved');
		expect(await agent.resume(id)).toEqual({ ok: true, value: '{}' });
	});
});

describe('approval-gate scenario', () => {
	it('holds every rule with the pattern, for any controls', async () => {
		await expectEveryRule(demo, RULES, {
			think: [100, 300, 1000, 1500],
			back: [0, 200, 800, 1200],
			attack: ['none', 'before', 'after'],
		});
	});

	it('shows the failures without it', async () => {
		expect((await playScenario(demo, { pattern: false })).broken.length).toBeGreaterThanOrEqual(4);
	});
});
