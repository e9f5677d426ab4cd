import { describe, expect, it } from 'vitest';
import { record } from '../fixtures.ts';
import { checkMaturity } from './maturity.ts';
import { findings } from './testing.ts';

const PROOF = { tests: [{ path: 'a.test.ts' }] };
const of = (fields: Parameters<typeof record>[0]) => findings(checkMaturity, { patterns: [record(fields)] });

describe('checkMaturity', () => {
	it('accepts proof with a recent date, a plan without proof, and an implementation without either', () => {
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2026-06-30', ...PROOF })).toEqual([]);
		expect(of({ id: 'a', maturity: 'planned' })).toEqual([]);
		expect(of({ id: 'a', maturity: 'implemented' })).toEqual([]);
	});

	it('refuses a claim of proof without refs or date', () => {
		expect(of({ id: 'a', maturity: 'proven' })).toEqual([
			'error patterns[0].maturity: A proven record needs at least one ref in tests or showcases; there is none.',
			'error patterns[0].maturity: A proven record needs verifiedAt; there is none.',
		]);
	});

	it('warns of proof that is older than 180 days, to the day', () => {
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2026-01-01', ...PROOF })).toEqual([]);
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2025-12-31', ...PROOF })).toEqual([
			'warning patterns[0].verifiedAt: The proof was last checked 181 days ago, on 2025-12-31; it is stale after 180.',
		]);
	});

	it('refuses a day that is to come or that never was, but for tomorrow, which begins in the east today', () => {
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2026-07-01', ...PROOF })).toEqual([]);
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2026-07-02', ...PROOF })).toEqual([
			'error patterns[0].verifiedAt: 2026-07-02 lies in the future.',
		]);
		expect(of({ id: 'a', maturity: 'proven', verifiedAt: '2026-02-30', ...PROOF })).toEqual([
			'error patterns[0].verifiedAt: 2026-02-30 is no day of the calendar.',
		]);
	});

	it('keeps attestations to proven records', () => {
		expect(of({ id: 'a', maturity: 'implemented', verifiedAt: '2026-06-30', verifiedSha: 'abcdef0' })).toEqual([
			'error patterns[0].verifiedAt: Only a proven record has verifiedAt; this one is implemented.',
			'error patterns[0].verifiedSha: Only a proven record has verifiedSha; this one is implemented.',
		]);
	});

	it('refuses proof refs on a plan, and warns of them on an implementation', () => {
		expect(of({ id: 'a', maturity: 'planned', ...PROOF, showcases: [{ path: '/x', kind: 'route' }] })).toEqual([
			'error patterns[0].tests: A planned record has no tests; found 1.',
			'error patterns[0].showcases: A planned record has no showcases; found 1.',
		]);
		expect(of({ id: 'a', maturity: 'implemented', ...PROOF })).toEqual([
			'warning patterns[0].maturity: The record is only "implemented", yet has 1 proof ref in tests or showcases.',
		]);
	});
});
