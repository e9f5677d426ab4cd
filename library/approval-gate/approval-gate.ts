/**
 * A person's yes before a tool acts. The yes is bound by digest to one proposal, counts once, and ages. Everything else,
 * silence included, is a no.
 *
 * Sources: "what you see is what you sign" (Landrock & Pedersen) for the binding; fail-safe defaults (Saltzer &
 * Schroeder, 1975) for the no.
 */
import type { BoundTools, ToolResult } from '../tool-manifest/tool-manifest.ts';

/** One intended call. Everything that decides what will happen is a field here and is covered by the digest. */
export interface Proposal {
	readonly id: string;
	readonly callerId: string;
	readonly tool: string;
	/** The arguments as JSON text: what the approver is shown and what the tool is given, the same string. */
	readonly args: string;
	/** Milliseconds since the Unix epoch; from this moment on it can no longer be decided. */
	readonly decideBefore: number;
	/** SHA-256 over all of the above, hexadecimal. */
	readonly digest: string;
}

export interface Decision {
	readonly verdict: 'approved' | 'denied';
	/** Who decided, as authenticated; never taken from the agent. */
	readonly by: string;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** What was decided upon. */
	readonly digest: string;
	/** Milliseconds since the Unix epoch; from this moment on an approval is worth nothing. */
	readonly useBefore: number;
}

export interface Entry {
	readonly proposal: Proposal;
	readonly decision?: Decision;
	readonly spent: boolean;
}

/** Where proposals live. `decide` and `spend` must each be one atomic compare-and-set. */
export interface ApprovalStore {
	add(proposal: Proposal): Promise<void>;
	load(id: string): Promise<Entry | undefined>;
	/** Records the decision if there is none yet; false, with nothing changed, if there is. */
	decide(id: string, decision: Decision): Promise<boolean>;
	/** Marks an approved entry as spent; true for exactly one call, ever. */
	spend(id: string, at: number): Promise<boolean>;
}

export interface GateOptions {
	readonly store: ApprovalStore;
	/** Tools that run without a decision. Any other tool needs one: a forgotten tool asks too often, not too seldom. */
	readonly free: readonly string[];
	/** Whether this person may decide this proposal. Throwing is a no. */
	readonly mayDecide: (approverId: string, proposal: Proposal) => boolean | Promise<boolean>;
	/** How long a proposal waits for its decision, in milliseconds. */
	readonly decideWithinMs: number;
	/** How long an approval can be used, in milliseconds. */
	readonly useWithinMs: number;
	/** Milliseconds since the Unix epoch, since entries outlive the process. */
	readonly now?: () => number;
	readonly newId?: () => string;
	readonly digest?: (text: string) => Promise<string>;
}

export type GateCode = 'unknown_proposal' | 'pending' | 'denied' | 'expired' | 'used' | 'changed' | 'unavailable';
export type GateResult =
	| ToolResult
	| { readonly ok: false; readonly error: { readonly code: GateCode; readonly message: string } };

/** What a call of a gated tool returns instead of its result. */
export interface Pending {
	readonly status: 'approval_required';
	readonly proposal: Proposal;
}

/** What an agent holds: it can propose, by calling, and resume. It has no way to decide. Neither method rejects. */
export interface GatedTools extends BoundTools {
	resume(id: string, signal?: AbortSignal): Promise<GateResult>;
}

export type DecideResult = 'recorded' | 'unknown_proposal' | 'not_allowed' | 'expired' | 'changed' | 'already_decided';

export interface ApprovalGate {
	guard(tools: BoundTools, callerId: string): GatedTools;
	/**
	 * Decides the proposal that the approver was shown, named by its digest. Belongs behind the approver's own login.
	 * @throws what the store throws; then nothing was decided, as far as this process can know
	 */
	decide(approverId: string, id: string, digest: string, verdict: Decision['verdict']): Promise<DecideResult>;
}

/** @throws RangeError when a time is not a positive number of milliseconds: with NaN a proposal would never expire */
export function createApprovalGate(options: GateOptions): ApprovalGate {
	for (const ms of [options.decideWithinMs, options.useWithinMs])
		if (!(ms > 0 && ms < Number.POSITIVE_INFINITY))
			throw new RangeError(`decideWithinMs and useWithinMs are finite and above 0, not ${ms}`);
	const { store, mayDecide, now = Date.now, newId = () => crypto.randomUUID(), digest = sha256 } = options;
	const free = new Set(options.free);
	const digestOf = ({ id, callerId, tool, args, decideBefore }: Omit<Proposal, 'digest'>) =>
		// JSON keeps the fields apart, and escapes lone surrogates, which UTF-8 encoding would merge into one character.
		digest(JSON.stringify(['approval/1', id, callerId, tool, args, decideBefore]));

	const propose = async (tools: BoundTools, callerId: string, tool: string, args: unknown): Promise<ToolResult> => {
		if (!tools.list().some((listed) => listed.name === tool))
			return { ok: false, error: { code: 'unknown_tool', message: 'There is no tool of this name.' } };
		let text: string;
		try {
			text = canonical(args);
		} catch {
			return { ok: false, error: { code: 'invalid_arguments', message: 'The arguments are not JSON.' } };
		}
		try {
			const draft = { id: newId(), callerId, tool, args: text, decideBefore: now() + options.decideWithinMs };
			const proposal: Proposal = { ...draft, digest: await digestOf(draft) };
			await store.add(proposal);
			return { ok: true, value: { status: 'approval_required', proposal } satisfies Pending };
		} catch {
			return { ok: false, error: { code: 'failed', message: 'The proposal could not be filed. Nothing ran.' } };
		}
	};

	/** Spends the approval and returns what was approved, or says why not. */
	const claim = async (callerId: string, id: string, signal?: AbortSignal): Promise<Proposal | GateResult> => {
		try {
			const entry = await store.load(id);
			if (entry?.proposal.callerId !== callerId) return no('unknown_proposal', 'There is no such proposal.');
			const { decision, spent } = entry;
			// A copy: what is compared below must be what runs, whoever else holds the stored object.
			const proposal = { ...entry.proposal };
			if (!decision && now() >= proposal.decideBefore)
				return no('expired', 'Nobody decided in time. Propose it again.');
			if (!decision) return no('pending', 'Nobody has decided yet. Nothing ran.');
			if (decision.verdict !== 'approved') return no('denied', 'This was denied. Do not propose it again unchanged.');
			if (spent) return no('used', 'This approval was used. A repetition needs a new proposal.');
			if ((await digestOf(proposal)) !== decision.digest)
				return no('changed', 'This is not what was approved. Propose it again.');
			// A clock that stepped back behind the decision must not lengthen its life.
			const live = () => now() >= decision.at && now() < decision.useBefore;
			if (!live()) return no('expired', 'The approval is too old. Propose it again.');
			if (signal?.aborted) return { ok: false, error: { code: 'aborted', message: 'Cancelled. Nothing ran.' } };
			// Spent before the call: a crash in between costs an approval, the other order could act twice.
			if (!(await store.spend(id, now())))
				return no('used', 'This approval was used. A repetition needs a new proposal.');
			if (!live()) return no('expired', 'The approval ran out while it was being used. Propose it again.');
			return proposal;
		} catch {
			return no('unavailable', 'The approval could not be verified. Nothing ran.');
		}
	};

	return {
		guard: (tools, callerId) => ({
			list: () => tools.list(),
			call: (name, args, signal) =>
				free.has(name) ? tools.call(name, args, signal) : propose(tools, callerId, name, args),
			resume: async (id, signal) => {
				const claimed = await claim(callerId, id, signal);
				return 'ok' in claimed ? claimed : tools.call(claimed.tool, claimed.args, signal);
			},
		}),
		decide: async (approverId, id, digest, verdict) => {
			const entry = await store.load(id);
			if (!entry) return 'unknown_proposal';
			const { proposal, decision } = entry;
			try {
				if ((await mayDecide(approverId, proposal)) !== true) return 'not_allowed';
			} catch {
				return 'not_allowed';
			}
			if (decision) return 'already_decided';
			if ((await digestOf(proposal)) !== digest) return 'changed';
			const at = now();
			if (at >= proposal.decideBefore) return 'expired';
			const made = { verdict, by: approverId, at, digest, useBefore: at + options.useWithinMs };
			return (await store.decide(id, made)) ? 'recorded' : 'already_decided';
		},
	};
}

function no(code: GateCode, message: string): GateResult {
	return { ok: false, error: { code, message } };
}

/** One text per meaning that matters here: no repeated keys that a viewer and a parser could read differently. */
function canonical(args: unknown): string {
	const text = typeof args === 'string' ? args.trim() || '{}' : JSON.stringify(args ?? {});
	return JSON.stringify(JSON.parse(text));
}

/** SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
	const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
