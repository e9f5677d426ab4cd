import { StaleTokenError } from '../fenced-lease/fenced-lease.ts';
import type { Job, JobSpec, Jobs } from './job-queue.ts';

export interface MemoryJob extends Required<Omit<JobSpec, 'delayMs'>> {
	id: string;
	state: 'queued' | 'running' | 'done' | 'dead';
	token: bigint;
	attempts: number;
	dueAt: number;
	rankAt: number;
	lastError: string | undefined;
}

/** The same rules in the memory of one process, for scenarios and tests. `now` is the queue's clock, in milliseconds. */
export class MemoryJobs implements Jobs {
	readonly all: MemoryJob[] = [];
	readonly #now: () => number;
	readonly #headStartMs: number;

	constructor(now: () => number, headStartMs = 60_000) {
		this.#now = now;
		this.#headStartMs = headStartMs;
	}

	async enqueue({ payload, priority = 0, delayMs = 0, maxAttempts = 5 }: JobSpec): Promise<string> {
		const id = String(this.all.length + 1);
		const fresh = { token: 0n, attempts: 0, dueAt: 0, rankAt: 0, lastError: undefined };
		const job: MemoryJob = { id, payload: structuredClone(payload), priority, maxAttempts, state: 'queued', ...fresh };
		this.#queue(job, delayMs);
		this.all.push(job);
		return id;
	}

	async claim(limit: number, ttlMs: number): Promise<Job[]> {
		const now = this.#now();
		const due = this.all.filter(({ state, dueAt }) => (state === 'queued' || state === 'running') && dueAt <= now);
		for (const job of due.filter(({ attempts, maxAttempts }) => attempts >= maxAttempts)) {
			job.state = 'dead';
			job.lastError = 'the lease of the last attempt ended without a result';
		}
		const picked = due
			.filter(({ state }) => state !== 'dead')
			.sort((a, b) => a.rankAt - b.rankAt || Number(a.id) - Number(b.id));
		return picked.slice(0, limit).map((job) => {
			job.state = 'running';
			job.token++;
			job.attempts++;
			job.dueAt = now + ttlMs;
			return { id: job.id, token: job.token, attempt: job.attempts, payload: structuredClone(job.payload) };
		});
	}

	async renew(job: Job, ttlMs: number): Promise<boolean> {
		const held = this.#held(job);
		if (!held || held.dueAt <= this.#now()) return false;
		held.dueAt = this.#now() + ttlMs;
		return true;
	}

	async complete(job: Job): Promise<void> {
		const held = this.#mine(job);
		held.state = 'done';
		held.lastError = undefined;
	}

	async fail(job: Job, error: string, delayMs: number | undefined): Promise<'retried' | 'dead'> {
		const held = this.#mine(job);
		held.lastError = error;
		this.#queue(held, delayMs ?? 0);
		if (delayMs === undefined || held.attempts >= held.maxAttempts) held.state = 'dead';
		return held.state === 'dead' ? 'dead' : 'retried';
	}

	async redrive(limit: number): Promise<number> {
		const dead = this.all.filter(({ state }) => state === 'dead').slice(0, limit);
		for (const job of dead) {
			job.attempts = 0;
			this.#queue(job, 0);
		}
		return dead.length;
	}

	#queue(job: MemoryJob, delayMs: number): void {
		job.state = 'queued';
		job.dueAt = this.#now() + delayMs;
		job.rankAt = job.dueAt - job.priority * this.#headStartMs;
	}

	#held(job: Job): MemoryJob | undefined {
		return this.all.find(({ id, token, state }) => id === job.id && token === job.token && state === 'running');
	}

	#mine(job: Job): MemoryJob {
		const held = this.#held(job);
		if (!held) throw new StaleTokenError(`job ${job.id} is no longer run ${job.token}'s`);
		return held;
	}
}
