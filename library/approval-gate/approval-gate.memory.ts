import type { ApprovalStore, Entry } from './approval-gate.ts';

/** The store's contract in memory, for tests and scenarios. A database does each method in one statement. */
export class MemoryApprovalStore implements ApprovalStore {
	readonly entries = new Map<string, Entry>();

	add: ApprovalStore['add'] = async (proposal) => {
		if (this.entries.has(proposal.id)) throw new Error(`proposal ${proposal.id} exists`);
		this.entries.set(proposal.id, { proposal, spent: false });
	};

	load: ApprovalStore['load'] = async (id) => this.entries.get(id);

	decide: ApprovalStore['decide'] = async (id, decision) => {
		const entry = this.entries.get(id);
		if (!entry || entry.decision) return false;
		this.entries.set(id, { ...entry, decision });
		return true;
	};

	spend: ApprovalStore['spend'] = async (id) => {
		const entry = this.entries.get(id);
		if (entry?.decision?.verdict !== 'approved' || entry.spent) return false;
		this.entries.set(id, { ...entry, spent: true });
		return true;
	};
}
