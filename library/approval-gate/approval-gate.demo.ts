import { howMany } from '../how-many.ts';
import type { Demo, ScenarioClock } from '../scenario.ts';
import { createManifest, defineTool } from '../tool-manifest/tool-manifest.ts';
import { MemoryApprovalStore } from './approval-gate.memory.ts';
import { type ApprovalGate, createApprovalGate, type Decision, type Pending, sha256 } from './approval-gate.ts';

/** The card's rules that this scenario checks, to the letter. */
export const RULES = {
	bound:
		'What runs is byte for byte what was approved: caller, tool and arguments are digested again before the call and compared with what the approver named.',
	once: 'A decision is used once: of all resumptions, concurrent ones too, at most one runs the tool, and the approval is spent before the call.',
	expires:
		'A decision expires: an undecided proposal and an unused approval each have an end, and past it nothing runs.',
	changed:
		'A changed proposal needs a new decision: one that names another digest than the stored proposal has is refused.',
	silence: 'Silence is a no: a tool that was not declared free runs only on a recorded approval.',
	recorded:
		'Every decision is recorded with who, when and the digest, in the step that makes it count; when that step fails, nothing was decided.',
	authority:
		'An agent proposes and resumes but cannot decide: only whom the policy admits decides, and a policy that fails admits nobody.',
} as const;

const DECIDE_WITHIN = 1000;
const USE_WITHIN = 800;

interface Payment {
	args: string;
	at: number;
}

/** What the scene needs of either version. */
interface Desk {
	propose(args: string): Promise<string>;
	/** What a reviewer is shown, and the token that names it. */
	review(id: string): Promise<{ args: string; digest: string } | undefined>;
	decide(who: string, id: string, digest: string, verdict: Decision['verdict']): Promise<boolean>;
	resume(id: string): Promise<string>;
	tamper(id: string): void;
	/** The trail that an auditor finds. */
	trail(): { by: string; at: number; digest: string }[];
}

function gated(clock: ScenarioClock, pay: (args: string) => Promise<string>): Desk {
	const store = new MemoryApprovalStore();
	let count = 0;
	const gate: ApprovalGate = createApprovalGate({
		store,
		free: ['read_balance'],
		mayDecide: (approver) => approver === 'maria',
		decideWithinMs: DECIDE_WITHIN,
		useWithinMs: USE_WITHIN,
		now: clock.now,
		newId: () => `p${++count}`,
		digest: (text) => clock.external(sha256(text)),
	});
	const transfer = defineTool({
		name: 'transfer',
		description: 'Pays an amount.',
		area: 'payments',
		effect: 'write',
		input: { type: 'object', properties: { amount: { type: 'number' }, to: { type: 'string' } } },
		parse: (input) => input,
		handle: (input) => pay(JSON.stringify(input)),
	});
	const tools = gate.guard(createManifest([transfer])({ id: 'ann', scopes: ['payments:write'] }), 'ann');
	return {
		propose: async (args) => {
			const result = await tools.call('transfer', args);
			return result.ok ? (result.value as Pending).proposal.id : '';
		},
		review: async (id) => (await store.load(id))?.proposal,
		decide: async (who, id, digest, verdict) => (await gate.decide(who, id, digest, verdict)) === 'recorded',
		resume: async (id) => {
			const result = await tools.resume(id);
			return result.ok ? 'ran' : result.error.code;
		},
		tamper: (id) => {
			const entry = store.entries.get(id);
			if (entry)
				store.entries.set(id, { ...entry, proposal: { ...entry.proposal, args: inflated(entry.proposal.args) } });
		},
		trail: () => [...store.entries.values()].flatMap(({ decision }) => (decision ? [decision] : [])),
	};
}

/** Without the pattern: a flag beside mutable arguments, and a wait that gives up in favour of going on. */
function flagged(clock: ScenarioClock, pay: (args: string) => Promise<string>): Desk {
	const asked = new Map<string, { args: string; verdict?: Decision['verdict']; since: number }>();
	return {
		propose: async (args) => {
			const id = `p${asked.size + 1}`;
			asked.set(id, { args, since: clock.now() });
			return id;
		},
		review: async (id) => ({ args: asked.get(id)?.args ?? '', digest: '' }),
		decide: async (_who, id, _digest, verdict) => {
			const entry = asked.get(id);
			if (entry) entry.verdict = verdict;
			return true;
		},
		resume: async (id) => {
			const entry = asked.get(id);
			if (!entry || entry.verdict === 'denied') return 'denied';
			if (!entry.verdict && clock.now() - entry.since < DECIDE_WITHIN) return 'pending';
			await pay(entry.args);
			return 'ran';
		},
		tamper: (id) => {
			const entry = asked.get(id);
			if (entry) entry.args = inflated(entry.args);
		},
		trail: () => [],
	};
}

function inflated(args: string): string {
	return args.replace(/"amount":\d+/, '"amount":9999');
}

export const demo: Demo = {
	title: 'An agent pays bills, and Maria says which',
	about:
		'An agent proposes payments. Maria approves, denies or overlooks them; somebody changes amounts behind her back, and the agent retries and even tries to approve for her. Look at which payments leave the bank, and whether the bytes are those that she saw.',
	controls: [
		{ id: 'pattern', kind: 'switch', label: 'Use the gate', value: true },
		{
			id: 'think',
			kind: 'number',
			label: 'Maria answers after',
			value: 300,
			min: 100,
			max: 1500,
			step: 100,
			unit: 'ms',
		},
		{
			id: 'back',
			kind: 'number',
			label: 'Agent resumes after her',
			value: 200,
			min: 0,
			max: 1200,
			step: 100,
			unit: 'ms',
		},
		{
			id: 'attack',
			kind: 'select',
			label: 'Amounts are changed',
			value: 'after',
			options: [
				{ value: 'none', label: 'never' },
				{ value: 'before', label: 'between her look and her answer' },
				{ value: 'after', label: 'after her approval' },
			],
		},
	],
	async run(controls, emit, clock) {
		const paid: (Payment & { id: string })[] = [];
		let current = '';
		const pay = async (args: string) => {
			const id = /bill-(\d)/.exec(args)?.[1] ?? current;
			paid.push({ id: `p${id}`, args, at: clock.now() });
			const t = clock.now();
			await clock.sleep(40);
			emit({ t, until: clock.now(), lane: 'bank', kind: 'ok', label: `pays ${args}` });
			return 'paid';
		};
		const desk = controls.pattern ? gated(clock, pay) : flagged(clock, pay);
		const approved = new Map<string, { args: string; at: number }>();
		const counted: { by: string; at: number; changed: boolean }[] = [];

		const decide = async (
			who: string,
			id: string,
			seen: { args: string; digest: string },
			verdict: Decision['verdict'],
		) => {
			const at = clock.now();
			const changed = (await desk.review(id))?.args !== seen.args;
			const recorded = await desk.decide(who, id, seen.digest, verdict);
			const label = `${who}: ${verdict} ${id}${recorded ? '' : ', refused'}`;
			emit({ t: at, lane: who === 'maria' ? 'maria' : 'agent', kind: recorded ? 'state' : 'reject', label });
			if (!recorded) return;
			counted.push({ by: who, at, changed });
			if (verdict === 'approved' && who === 'maria') approved.set(id, { args: seen.args, at });
		};

		const bill = async (number: number, answer: Decision['verdict'] | 'silence') => {
			await clock.sleep(number * 150);
			current = String(number);
			const id = await desk.propose(`{"amount":${number * 10},"to":"bill-${number}"}`);
			emit({ t: clock.now(), lane: 'agent', kind: 'start', label: `proposes ${id}` });
			const seen = await desk.review(id);
			const t = clock.now();
			if (controls.attack === 'before' && number % 2 === 1) desk.tamper(id);
			await clock.sleep(Number(controls.think));
			if (answer === 'silence') {
				emit({ t, until: clock.now(), lane: 'maria', kind: 'wait', label: `does not see ${id}` });
				if (seen && number === 5) await decide('agent', id, seen, 'approved');
			} else if (seen) {
				emit({ t, until: clock.now(), lane: 'maria', kind: 'info', label: `reads ${seen.args}` });
				await decide('maria', id, seen, answer);
			}
			if (controls.attack === 'after' && number % 2 === 1) desk.tamper(id);
			await clock.sleep(Number(controls.back));
			const both = await Promise.all([desk.resume(id), desk.resume(id)]);
			// Which of two at once comes first is settled off this thread, where digests are made: the one that ran is told first.
			const outcomes = both.sort((a, b) => Number(b === 'ran') - Number(a === 'ran'));
			await clock.sleep(DECIDE_WITHIN);
			outcomes.push(await desk.resume(id));
			for (const outcome of outcomes) {
				const kind = outcome === 'ran' ? 'ok' : outcome === 'pending' ? 'wait' : 'reject';
				emit({ t: clock.now(), lane: 'agent', kind, label: `resumes ${id}: ${outcome}` });
			}
		};
		const answers = ['approved', 'approved', 'denied', 'silence', 'silence', 'approved'] as const;
		await Promise.all(answers.map((answer, index) => bill(index + 1, answer)));

		const unseen = paid.filter(({ id, args }) => approved.has(id) && approved.get(id)?.args !== args);
		const twice = paid.filter(({ id }, index) => paid.findIndex((other) => other.id === id) !== index);
		const late = paid.filter(({ id, at }) => at - (approved.get(id)?.at ?? at) >= USE_WITHIN);
		const unasked = paid.filter(({ id }) => !approved.has(id));
		const trail = desk.trail();
		const traced = counted.filter(({ by, at }) =>
			trail.some((entry) => entry.by === by && entry.at === at && entry.digest),
		);
		const own = counted.filter(({ by }) => by === 'agent').length;
		const blind = counted.filter(({ changed }) => changed).length;
		emit({
			rule: RULES.bound,
			ok: unseen.length === 0,
			detail: `${howMany(unseen.length, 'payment differs', 'payments differ')} from what she approved`,
		});
		emit({ rule: RULES.once, ok: twice.length === 0, detail: `${howMany(twice.length, 'payment')} repeated` });
		emit({
			rule: RULES.expires,
			ok: late.length === 0,
			detail: `${howMany(late.length, 'payment')} on an approval past ${USE_WITHIN} ms`,
		});
		emit({
			rule: RULES.changed,
			ok: blind === 0,
			detail: `${howMany(blind, 'decision')} on something she had not seen`,
		});
		emit({
			rule: RULES.silence,
			ok: unasked.length === 0,
			detail: `${howMany(unasked.length, 'payment')} without her approval`,
		});
		emit({
			rule: RULES.recorded,
			ok: traced.length === counted.length,
			detail: `${traced.length} of ${howMany(counted.length, 'decision')} on record`,
		});
		emit({ rule: RULES.authority, ok: own === 0, detail: `${howMany(own, 'decision')} by the agent` });
	},
};
