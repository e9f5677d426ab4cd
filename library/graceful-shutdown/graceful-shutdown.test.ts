import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { expectEveryRule, playScenario } from '../scenario-testing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { demo, rules } from './graceful-shutdown.demo.ts';
import { type Component, GracefulShutdown, type ShutdownOptions } from './graceful-shutdown.ts';

function setup(options: Partial<ShutdownOptions> = {}) {
	const clock = new VirtualClock();
	const shutdown = new GracefulShutdown({ budgetMs: 1000, clock, ...options });
	const log: string[] = [];
	const note = (what: string) => void log.push(`${clock.now()} ${what}`);
	/** A component that notes what is done to it; its drain takes `ms`, or for ever. */
	const add = (name: string, ms = 0, extra: Partial<Component> = {}) =>
		shutdown.register({
			name,
			stopAccepting: () => note(`${name} stops`),
			drain: async (signal) => {
				note(`${name} drains`);
				await clock.sleep(ms, signal);
				note(`${name} done`);
			},
			force: () => note(`${name} forced`),
			...extra,
		});
	return { clock, shutdown, log, note, add };
}
const never = () => new Promise<void>(() => undefined);
const outcomes = (report: { components: { name: string; outcome: string }[] }) =>
	Object.fromEntries(report.components.map(({ name, outcome }) => [name, outcome]));

describe('graceful-shutdown', () => {
	it('tells every component to stop accepting before it drains any', async () => {
		const { clock, shutdown, log, note, add } = setup();
		add('database');
		add('consumer', 0, {
			stopAccepting: async () => {
				await clock.sleep(30);
				note('consumer stops');
			},
		});
		add('server');
		await clock.run(shutdown.shutdown());
		const lastStop = log.findLastIndex((line) => line.endsWith('stops'));
		const firstDrain = log.findIndex((line) => line.endsWith('drains'));
		expect(log.filter((line) => line.endsWith('stops'))).toHaveLength(3);
		expect(lastStop).toBeLessThan(firstDrain);
		expect(log[firstDrain]).toBe('30 server drains');
	});

	it('drains one component at a time, the last registered first', async () => {
		const { clock, shutdown, log, add } = setup();
		add('database', 10);
		add('worker', 20);
		add('server', 30);
		const report = await clock.run(shutdown.shutdown());
		expect(log.slice(3)).toEqual([
			'0 server drains',
			'30 server done',
			'30 worker drains',
			'50 worker done',
			'50 database drains',
			'60 database done',
		]);
		expect(report).toEqual({
			clean: true,
			ms: 60,
			components: [
				{ name: 'server', outcome: 'drained' },
				{ name: 'worker', outcome: 'drained' },
				{ name: 'database', outcome: 'drained' },
			],
		});
		expect(clock.pending).toBe(0);
	});

	it('keeps to one budget for notice, stopping and draining together, then forces what is left without waiting for it', async () => {
		const { clock, shutdown, log, add } = setup({ noticeMs: 300, reserveMs: 0 });
		add('database', 50);
		add('worker', 200);
		add('server', 600, { stopAccepting: () => clock.sleep(200) });
		const report = await clock.run(shutdown.shutdown());
		expect(report.ms).toBe(1000);
		expect(report.clean).toBe(false);
		expect(outcomes(report)).toEqual({ server: 'forced', worker: 'forced', database: 'forced' });
		expect(log.filter((line) => line.includes('forced'))).toEqual([
			'1000 server forced',
			'1000 worker forced',
			'1000 database forced',
		]);
	});

	it('forces at the second signal at once, whatever is going on', async () => {
		for (const at of [10, 150, 400]) {
			const { clock, shutdown, log, add } = setup({ noticeMs: 100 });
			add('database', 50);
			add('server', 800);
			const source = new EventEmitter();
			shutdown.listen(source);
			source.emit('SIGTERM');
			clock.after(at, () => source.emit('SIGINT'));
			const report = await clock.run(shutdown.shutdown());
			expect(report.ms).toBe(at);
			expect(log.filter((line) => line.endsWith('forced'))).toEqual([`${at} server forced`, `${at} database forced`]);
			expect(log.filter((line) => line.endsWith('stops'))).toHaveLength(2);
			expect(log).not.toContain(`${at} database drains`);
			expect(clock.pending).toBe(0);
		}
	});

	it('goes on to the others when a component throws or hangs in any of its methods', async () => {
		const fail = (what: string) => () => {
			throw new Error(what);
		};
		const { clock, shutdown, log, add } = setup();
		add('database', 10);
		add('a', 0, { stopAccepting: fail('stop') });
		add('b', 0, { drain: fail('drain') });
		add('c', 0, { drain: () => clock.sleep(5).then(fail('drain later')), force: fail('force') });
		add('d', 0, { stopAccepting: () => Promise.reject(new Error('stop later')), force: fail('force') });
		const report = await clock.run(shutdown.shutdown());
		expect(outcomes(report)).toEqual({ d: 'failed', c: 'failed', b: 'failed', a: 'failed', database: 'drained' });
		expect(report.components.map(({ error }) => (error instanceof Error ? error.message : error))).toEqual([
			'stop later',
			'drain later',
			'drain',
			'stop',
			undefined,
		]);
		expect(log).toContain('5 a drains');
		expect(log).toContain('5 a forced');
		expect(log).toContain('5 b forced');
		expect(log).toContain('15 database done');
		expect(log).not.toContain('15 database forced');

		const hanging = setup();
		hanging.add('database', 10);
		hanging.add('server', 0, { stopAccepting: never, drain: never });
		expect(outcomes(await hanging.clock.run(hanging.shutdown.shutdown()))).toEqual({
			server: 'timed out',
			database: 'drained',
		});
		expect(hanging.log).toContain('950 database drains');
	});

	it('leaves each later component its reserve when one hangs, in stopping or in draining', async () => {
		const { clock, shutdown, log, add } = setup({ reserveMs: 100 });
		add('database', 90);
		add('worker', 90);
		add('server', 0, { drain: never });
		const report = await clock.run(shutdown.shutdown());
		expect(outcomes(report)).toEqual({ server: 'timed out', worker: 'drained', database: 'drained' });
		expect(log).toContain('800 server forced');
		expect(log).toContain('980 database done');

		const other = setup({ reserveMs: 100 });
		other.add('database', 90);
		other.add('server', 90, { stopAccepting: never });
		const second = await other.clock.run(other.shutdown.shutdown());
		expect(outcomes(second)).toEqual({ server: 'timed out', database: 'drained' });
		expect(other.log).toContain('800 server drains');
	});

	it('shares evenly when the reserves exceed the budget', async () => {
		const { clock, shutdown, log, add } = setup({ reserveMs: 5000 });
		add('database', 240);
		add('worker', 0, { drain: never });
		add('server', 0, { drain: never });
		const report = await clock.run(shutdown.shutdown());
		expect(outcomes(report)).toEqual({ server: 'timed out', worker: 'timed out', database: 'drained' });
		expect(log).toContain('333.3333333333333 server forced');
		expect(report.ms).toBeLessThanOrEqual(1000);
	});

	it('aborts the signal of a drain that is cut short and calls its force exactly once', async () => {
		const { clock, shutdown, log, add, note } = setup({ reserveMs: 100 });
		add('database');
		add('server', 0, {
			drain: (signal) => {
				signal.addEventListener('abort', () => note(`aborted: ${signal.reason.message}`));
				return never();
			},
		});
		await clock.run(shutdown.shutdown());
		await shutdown.force();
		expect(log.filter((line) => /aborted|server forced/.test(line))).toEqual([
			'900 aborted: not done in 900 ms',
			'900 server forced',
		]);

		// Cut short by someone who insists, it hears of that too.
		const insisted = setup();
		insisted.add('worker', 0, {
			drain: (signal) => {
				signal.addEventListener('abort', () => insisted.note(`aborted: ${signal.reason.message}`));
				return never();
			},
		});
		insisted.clock.after(300, () => void insisted.shutdown.force());
		await insisted.clock.run(insisted.shutdown.shutdown());
		await insisted.shutdown.force();
		expect(insisted.log.filter((line) => /aborted|worker forced/.test(line))).toEqual([
			'300 aborted: shutdown was forced',
			'300 worker forced',
		]);
	});

	it('is not ready from the signal on, and closes listeners only when the notice is over', async () => {
		const { clock, shutdown, log, note, add } = setup({ noticeMs: 200 });
		add('server', 0, { stopAccepting: () => note(`stops while ready is ${shutdown.ready}`) });
		const source = new EventEmitter();
		shutdown.listen(source);
		expect(shutdown.ready).toBe(true);
		source.emit('SIGTERM');
		expect(shutdown.ready).toBe(false);
		await clock.advance(199);
		expect(log).toEqual([]);
		await clock.advance(1);
		expect(log[0]).toBe('200 stops while ready is false');
	});

	it('runs once however often it is asked, and everyone gets the same report', async () => {
		const { clock, shutdown, log, add } = setup();
		add('server', 10);
		const first = shutdown.shutdown();
		expect(shutdown.shutdown()).toBe(first);
		expect(shutdown.ended).toBe(first);
		await clock.run(first);
		expect(await shutdown.force()).toBe(await first);
		expect(log).toEqual(['0 server stops', '0 server drains', '10 server done']);
	});

	it('may be called again from inside a component without waiting for itself', async () => {
		const { clock, shutdown, add } = setup();
		add('server', 0, { stopAccepting: () => void shutdown.shutdown() });
		expect((await clock.run(shutdown.shutdown())).clean).toBe(true);
	});

	it('refuses to register what it would never end', async () => {
		const { clock, shutdown, add } = setup();
		const report = shutdown.shutdown();
		expect(() => add('late')).toThrow('cannot register late: shutdown has begun');
		expect((await clock.run(report)).clean).toBe(true);
	});

	it('does not let a drain that fails after it was cut short become an unhandled rejection', async () => {
		const { clock, shutdown, add } = setup();
		const unhandled: unknown[] = [];
		const listen = (reason: unknown) => void unhandled.push(reason);
		process.on('unhandledRejection', listen);
		add('server', 0, { drain: () => clock.sleep(1500).then(() => Promise.reject(new Error('too late'))) });
		await clock.run(shutdown.shutdown());
		await clock.advance(1000);
		await new Promise((resolve) => setImmediate(resolve));
		process.off('unhandledRejection', listen);
		expect(unhandled).toEqual([]);
	});

	it('takes its listeners off the signals when asked to, and leaves those of others', () => {
		const { shutdown } = setup();
		const source = new EventEmitter();
		source.on('SIGTERM', () => undefined);
		const remove = shutdown.listen(source);
		expect([source.listenerCount('SIGTERM'), source.listenerCount('SIGINT')]).toEqual([2, 1]);
		remove();
		expect([source.listenerCount('SIGTERM'), source.listenerCount('SIGINT')]).toEqual([1, 0]);
	});

	it('refuses options that make no sense', () => {
		for (const budgetMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])
			expect(() => setup({ budgetMs })).toThrow('budgetMs must be positive and below 2^31');
		expect(() => setup({ budgetMs: 100, noticeMs: 100 })).toThrow('noticeMs must be from 0 to less than the budget');
		for (const reserveMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
			expect(() => setup({ reserveMs })).toThrow('reserveMs must be at least 0 and finite');
	});

	it('ends with the real clock and the real process as they are', async () => {
		const shutdown = new GracefulShutdown({ budgetMs: 5000, noticeMs: 1 });
		const remove = shutdown.listen(process, ['SIGUSR2']);
		shutdown.register({ name: 'nothing' });
		process.emit('SIGUSR2');
		const report = await shutdown.shutdown();
		remove();
		expect(report).toMatchObject({ clean: true, components: [{ name: 'nothing', outcome: 'drained' }] });
	});
});

describe('graceful-shutdown scenario', () => {
	it('keeps every rule with the pattern, at the ends of every control', async () => {
		await expectEveryRule(demo, rules, {
			worker: ['finishes', 'throws', 'hangs'],
			budget: [400, 1500, 3000],
			notice: [0, 200, 300],
			second: [0, 50, 300, 800],
		});
	});

	it('drains in the wrong order and closes without notice when the pattern is off', async () => {
		const { broken } = await playScenario(demo, { pattern: false });
		expect(broken).toEqual(expect.arrayContaining([rules.reverse, rules.ready]));
		expect((await playScenario(demo, { pattern: false, worker: 'hangs' })).broken).toContain(rules.budget);
	});
});
