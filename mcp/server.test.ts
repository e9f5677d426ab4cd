import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeService } from './fake-service.ts';
import type { Output } from './frame-writer.ts';
import { MAX_LINE_BYTES } from './framing.ts';
import { createSession } from './protocol.ts';
import { type Connection, serve } from './server.ts';

const encoder = new TextEncoder();
const call = (id: number, name = 'echo') =>
	`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`;
const cancel = (requestId: number) =>
	`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`;

const note = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress' })}\n`;

/** An output that remembers, and that takes bytes only as fast as `take` lets it when it is `slow`. */
function sink({ slow = false } = {}) {
	let text = '';
	let highest = 0;
	const waiting: (() => void)[] = [];
	const listeners = new Map<string, (() => void)[]>();
	const output: Output = {
		write(frame, done) {
			text += frame;
			if (!slow) {
				done();
				return true;
			}
			waiting.push(done);
			highest = Math.max(highest, waiting.length);
			return false;
		},
		on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
	};
	const emit = (event: string) => {
		for (const listener of listeners.get(event) ?? []) listener();
	};
	return {
		output,
		emit,
		take() {
			for (const done of waiting.splice(0)) done();
			emit('drain');
		},
		replies: () =>
			text
				.split('\n')
				.slice(0, -1)
				.map((line) => JSON.parse(line)),
		ids: () =>
			text
				.split('\n')
				.slice(0, -1)
				.map((line) => JSON.parse(line).id),
		waiting: () => waiting.length,
		highest: () => highest,
	};
}

function run(input: AsyncIterable<Uint8Array>, output: Output, options: Partial<Connection> = {}) {
	const fake = fakeService();
	return { ...fake, done: serve(createSession(fake.service), { input, output, ...options }) };
}

const chunks = (...texts: string[]) => Readable.from(texts.map((text) => encoder.encode(text)));
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('server loop', () => {
	it('answers in the order of the messages and ends when the input ends', async () => {
		const { output, ids } = sink();
		await run(chunks(call(1), '[]\n', call(2) + call(3)), output).done;
		expect(ids()).toEqual([1, null, 2, 3]);
	});

	it('answers a last line without a newline', async () => {
		const { output, ids } = sink();
		await run(chunks(call(1).trimEnd()), output).done;
		expect(ids()).toEqual([1]);
	});

	it('writes nothing for an empty input', async () => {
		const { output, replies } = sink();
		await run(chunks(), output).done;
		expect(replies()).toEqual([]);
	});

	it('answers what is in work before it ends', async () => {
		const { output, ids } = sink();
		const { done, release } = run(chunks(call(1, 'wait')), output);
		await turn();
		expect(ids()).toEqual([]);
		release();
		await done;
		expect(ids()).toEqual([1]);
	});

	it('lets a cancellation in the same chunk, and one in a later chunk, reach a request before its reply', async () => {
		const { output, ids } = sink();
		const { done, release } = run(
			chunks(call(1) + note.repeat(50) + cancel(1) + call(2), call(3, 'wait'), cancel(3) + call(4)),
			output,
		);
		await turn();
		release();
		await done;
		expect(ids()).toEqual([2, 4]);
	});

	it('reports a line that is too long or not UTF-8 and serves the next', async () => {
		const { output, replies } = sink();
		const long = encoder.encode(`${'x'.repeat(MAX_LINE_BYTES + 1)}\n`);
		await run(Readable.from([long, Uint8Array.of(0xff, 0x0a), encoder.encode(call(9))]), output).done;
		expect(replies()).toMatchObject([
			{ id: null, error: { code: -32600 } },
			{ id: null, error: { code: -32700 } },
			{ id: 9, result: {} },
		]);
	});

	it('reads no further while the output is full, and hands everything over before it ends', async () => {
		const { output, take, ids, highest } = sink({ slow: true });
		const input = chunks(Array.from({ length: 500 }, (_, index) => call(index)).join(''));
		let ended = false;
		const { done } = run(input, output, { maxInFlight: 8 });
		const finished = done.then(() => {
			ended = true;
		});
		for (let turns = 0; !ended && turns < 2000; turns++) {
			await turn();
			take();
		}
		await finished;
		expect(ids()).toEqual(Array.from({ length: 500 }, (_, index) => index));
		expect(highest()).toBeLessThanOrEqual(9);
	});

	it('does not end before the last byte is taken', async () => {
		const { output, take, waiting } = sink({ slow: true });
		let ended = false;
		const { done } = run(chunks(call(1)), output);
		const finished = done.then(() => {
			ended = true;
		});
		while (waiting() === 0) await turn();
		await turn();
		expect(ended).toBe(false);
		take();
		await finished;
	});

	it('ends on its stop signal while the input stays open, with what was read answered', async () => {
		const { output, ids } = sink();
		const input = new PassThrough();
		const stop = new AbortController();
		const { done } = run(input, output, { stop: stop.signal });
		input.write(call(1) + call(2).slice(0, 10));
		await turn();
		stop.abort();
		await done;
		expect(ids()).toEqual([1]);
	});

	it('ends at once when it was stopped before it began', async () => {
		const { output, ids } = sink();
		await run(new PassThrough(), output, { stop: AbortSignal.abort() }).done;
		expect(ids()).toEqual([]);
	});

	it.each(['error', 'close'])(
		'ends when the output reports %s, though its buffer is full and the input open',
		async (event) => {
			const { output, emit, waiting } = sink({ slow: true });
			const input = new PassThrough();
			const { done } = run(input, output);
			input.write(call(1) + call(2) + call(3));
			while (waiting() === 0) await turn();
			emit(event);
			await done;
		},
	);

	it('ends when the output breaks while its last bytes wait', async () => {
		const { output, emit, waiting } = sink({ slow: true });
		const { done } = run(chunks(call(1)), output);
		while (waiting() === 0) await turn();
		await turn();
		emit('error');
		await done;
	});

	it('ends when the input breaks', async () => {
		const { output, ids } = sink();
		const input = new PassThrough();
		const { done } = run(input, output);
		input.write(call(1));
		await turn();
		input.destroy(new Error('EIO'));
		await done;
		expect(ids()).toEqual([1]);
	});
});
