import { describe, expect, it } from 'vitest';
import { library, record } from './fixtures.ts';
import { assemblePlan, type PlanRequest } from './plan.ts';
import { renderPlan } from './plan-answer.ts';
import { approximateTokens } from './tokens.ts';

const books = library();
const steps = (request: PlanRequest) => assemblePlan(books, request).steps.map(({ record }) => record.id);
const text = (request: PlanRequest, detail: 'full' | 'outline' = 'full') =>
	renderPlan(assemblePlan(books, request), request, detail);

describe('assemblePlan', () => {
	it('takes the best card of each capability and what it builds on, dependencies first', () => {
		expect(steps({ capabilities: ['background jobs that survive a crash'] })).toEqual([
			'deadline-propagation',
			'retry-backoff',
			'job-queue',
		]);
	});

	it('keeps to the chosen cards when dependencies are not wanted', () => {
		expect(steps({ capabilities: ['background jobs that survive a crash'], includeDependencies: false })).toEqual([
			'job-queue',
		]);
	});

	it('never makes a step of a weak overlap or of a light card', () => {
		const plan = assemblePlan(books, { capabilities: ['train a neural network', 'throttle an endpoint'] });
		expect(plan.steps).toEqual([]);
		expect(plan.uncovered.map(({ capability, related }) => [capability, related.map(({ id }) => id)])).toEqual([
			['train a neural network', []],
			['throttle an endpoint', ['rate-limit']],
		]);
	});

	it('admits a runner-up only when it is strong and nearly as good', () => {
		const twin = record({
			id: 'twin',
			tier: 'deep',
			title: 'Work queue twin',
			asks: ['background jobs that survive crashes'],
		});
		const far = record({ id: 'far', tier: 'deep', title: 'Crash reports', keywords: ['crash'] });
		const plan = (extra: typeof twin) =>
			assemblePlan(library([extra]), {
				capabilities: ['background jobs that survive a crash'],
				includeDependencies: false,
			});
		expect(
			plan(twin)
				.steps.map(({ record }) => record.id)
				.sort(),
		).toEqual(['job-queue', 'twin']);
		expect(plan(far).steps.map(({ record }) => record.id)).toEqual(['job-queue']);
	});

	it('asserts nothing about a target that was not declared, and judges each step of one that was', () => {
		const capabilities = ['background jobs that survive a crash'];
		expect(assemblePlan(books, { capabilities }).steps.map(({ lacks }) => lacks)).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(assemblePlan(books, { capabilities, targetInfra: ['redis'] }).steps.map(({ lacks }) => lacks)).toEqual([
			[],
			[],
			['postgres'],
		]);
	});

	it('gives one step to a card that answers two capabilities', () => {
		const plan = assemblePlan(books, { capabilities: ['repeat failed calls', 'call a flaky payment API safely'] });
		expect(plan.steps.map(({ record, answers }) => [record.id, answers.length])).toEqual([
			['deadline-propagation', 0],
			['retry-backoff', 2],
		]);
	});
});

describe('renderPlan', () => {
	it('says why each step is there, what it requires and what must hold', () => {
		const plan = text({ capabilities: ['background jobs that survive a crash'] });
		expect(plan).toContain(
			'## 3. Job queue on a table (job-queue)\nanswers "background jobs that survive a crash" · maturity: proven',
		);
		expect(plan).toContain('needed by job-queue');
		expect(plan).toContain('Invariants, which MUST hold after emulation:\n1. Two workers never hold one job.');
		expect(plan).toContain('The whole plan requires: postgres.');
		expect(plan).not.toContain('Verdict');
	});

	it('gives a verdict for a declared target, and the reason', () => {
		const request = { capabilities: ['background jobs that survive a crash'], targetInfra: ['redis'] };
		expect(text(request)).toContain(
			'Verdict: the target lacks postgres. Drop or replace this step, and the steps that build on it.',
		);
		expect(text(request)).toContain('Verdict: fits the target.');
		expect(text(request)).toContain('The target lacks: postgres.');
	});

	it('counts the invariants that an outline withholds', () => {
		const outline = text({ capabilities: ['repeat failed calls'] }, 'outline');
		expect(outline).toContain('Withheld: 2 invariants that MUST hold, docs, code, tests.');
		expect(outline).not.toContain('Never sleeps past the deadline.');
	});

	it('says what is not covered, and by what it is nearly covered', () => {
		expect(text({ capabilities: ['throttle an endpoint'] })).toContain(
			'- related index entry (light, no step): rate-limit',
		);
		expect(text({ capabilities: ['train a neural network'] })).toContain(
			'No plan: no deep card answers any of the 1 capability.',
		);
	});

	it('stays within the budget of an answer by falling back to outlines, and names the steps', () => {
		const big = Array.from({ length: 12 }, (_, n) =>
			record({ id: `big-${n}`, tier: 'deep', title: `Topic${n} handler`, invariants: Array(20).fill('r'.repeat(200)) }),
		);
		const request = { capabilities: big.map((_, n) => `topic${n} handler`) };
		const plan = renderPlan(assemblePlan(library(big), request), request, 'full');
		expect(approximateTokens(plan)).toBeLessThan(10_000);
		expect(plan).toContain('Shown as an outline for length: big-');
		expect(plan.match(/^## /gm)).toHaveLength(12);
	});
});
