import { createLibrary, type Library } from './library.ts';
import type { PatternRecord, Registry } from './schema.ts';

/** A record for tests: a light one with nothing but what `fields` gives it. */
export function record(fields: Partial<PatternRecord> & { id: string }): PatternRecord {
	return {
		tier: 'light',
		title: fields.id,
		category: 'calls',
		summary: '',
		when_to_use: '',
		asks: [],
		avoid_when: [],
		alternatives: [],
		requires: [],
		capabilities: [],
		keywords: [],
		depends_on: [],
		docs: [],
		code: [],
		tests: [],
		showcases: [],
		invariants: [],
		emulation_notes: [],
		maturity: 'implemented',
		...fields,
	};
}

/** A registry for tests, with two groups and three categories. */
export function registry(patterns: readonly PatternRecord[], fields: Partial<Registry> = {}): Registry {
	return {
		version: '1.0.0',
		library: {
			name: 'test-library',
			title: 'Test library',
			description: 'Patterns for tests.',
			url: 'https://example.org/library',
			repository: 'https://example.org/repository',
		},
		groups: [
			{ id: 'resilience', title: 'Resilience' },
			{ id: 'data', title: 'Data' },
		],
		categories: [
			{ id: 'calls', title: 'Calls', group: 'resilience' },
			{ id: 'load', title: 'Load', group: 'resilience' },
			{ id: 'storage', title: 'Storage', group: 'data' },
		],
		requirements: [
			{ id: 'postgres', title: 'PostgreSQL' },
			{ id: 'redis', title: 'Redis' },
		],
		routes: [],
		patterns: [...patterns],
		...fields,
	};
}

/** Cards about nothing, so that a word of two or three cards is a rare one. */
export const others: readonly PatternRecord[] = Array.from({ length: 12 }, (_, n) => record({ id: `other-${n}` }));

/** A small library that reads like a real one: what the tests of search, cards and plans ask. */
export function library(extra: readonly PatternRecord[] = []): Library {
	return createLibrary(registry([...PATTERNS, ...extra, ...others]));
}

const PATTERNS: readonly PatternRecord[] = [
	record({
		id: 'retry-backoff',
		tier: 'deep',
		title: 'Retry with backoff and jitter',
		summary: 'Repeats a failed call after a growing, random delay, and stops before the deadline.',
		when_to_use: 'A call over a network fails now and then and works when it is repeated.',
		asks: ['call a flaky payment API safely', 'what to do when a request fails with 503'],
		avoid_when: ['The call changes something and carries no idempotency key.'],
		alternatives: [{ approach: 'A queue', prefer_when: 'nobody waits for the answer' }],
		capabilities: ['repeat failed calls', 'survive transient errors'],
		keywords: ['429', 'retry-after', 'transient failure'],
		depends_on: ['deadline-propagation'],
		docs: [{ path: 'docs/retry.md#jitter', kind: 'anchor', note: 'why random' }],
		code: [{ path: 'src/retry.ts' }],
		tests: [{ path: 'src/retry.test.ts' }],
		showcases: [{ path: '/showcases/retry-backoff/', kind: 'route' }],
		invariants: [
			{ rule: 'Never sleeps past the deadline.', pinned_by: 'src/retry.test.ts#retry > stops before the deadline' },
			'Only transient failures are repeated.',
		],
		emulation_notes: ['Keep the jitter full.'],
		risk: 'low: no state',
		maturity: 'proven',
		verifiedAt: '2026-11-01',
		verifiedSha: 'abc1234',
	}),
	record({
		id: 'deadline-propagation',
		tier: 'deep',
		title: 'Deadline propagation',
		summary: 'One time budget for a request and everything that it calls.',
		when_to_use: 'A request fans out and must not take longer than its caller waits.',
		asks: ['stop work nobody waits for any more', 'pass a timeout through nested calls'],
		avoid_when: ['The work must finish whoever waits.'],
		capabilities: ['time budget'],
		keywords: ['timeout', 'context deadline exceeded', 'abort'],
		invariants: ['A child never gets more than is left.'],
		emulation_notes: ['Pass what remains, not a date.'],
		maturity: 'proven',
	}),
	record({
		id: 'job-queue',
		tier: 'deep',
		category: 'storage',
		title: 'Job queue on a table',
		summary: 'Runs background work under a lease, so that a job of a dead worker is run again.',
		when_to_use: 'Work must not be lost when a process dies.',
		asks: ['background jobs that survive a crash', 'run tasks later without losing them'],
		avoid_when: ['Work takes milliseconds and may be lost.'],
		requires: ['postgres'],
		capabilities: ['durable background work'],
		keywords: ['worker', 'skip locked', 'dead letter'],
		depends_on: ['retry-backoff'],
		invariants: ['Two workers never hold one job.'],
		emulation_notes: ['Use the clock of the database.'],
		maturity: 'proven',
	}),
	record({
		id: 'rate-limit',
		category: 'load',
		title: 'Rate limiter (token bucket)',
		summary: 'Bounds how many requests pass in an interval.',
		when_to_use: 'A caller may send more than the service can bear.',
		asks: ['too many requests from one client', 'throttle an endpoint', 'protect login from brute force'],
		keywords: ['429', 'throttling', 'c++ allocator', 'n+1', '検索'],
		requires: ['redis'],
	}),
];
