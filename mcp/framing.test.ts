import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, type Line, LineSplitter } from './framing.ts';

const encoder = new TextEncoder();
const text = (value: string): Line => ({ kind: 'text', text: value });

/** Everything that a splitter yields for chunks, then for the end of the input. */
function split(chunks: Iterable<Uint8Array>, limit?: number): Line[] {
	const splitter = new LineSplitter(limit);
	const lines: Line[] = [];
	for (const chunk of chunks) lines.push(...splitter.push(chunk));
	lines.push(...splitter.end());
	return lines;
}

function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
	let at = 0;
	for (const size of sizes) {
		yield bytes.subarray(at, at + size);
		at += size;
	}
	yield bytes.subarray(at);
}

describe('line splitter', () => {
	it('gives the same lines at every split of the bytes', () => {
		const bytes = encoder.encode('{"q":"—🎉 naïve"}\r\n\n{"a":1}\n  \r\n日本語\nlast');
		const expected = ['{"q":"—🎉 naïve"}', '{"a":1}', '日本語', 'last'].map(text);
		for (let first = 0; first <= bytes.length; first++) {
			for (let second = 0; second <= bytes.length - first; second++) {
				expect(split(cut(bytes, [first, second]))).toEqual(expected);
			}
		}
	});

	it('gives the same lines when every byte comes alone', () => {
		const bytes = encoder.encode('{"q":"—🎉"}\r\n{"b":2}\r\n');
		expect(split(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([text('{"q":"—🎉"}'), text('{"b":2}')]);
	});

	it('finds any messages again in any chunks', () => {
		const message = fc
			.string({ unit: 'grapheme' })
			.filter((value) => !/[\r\n\uFEFF]/.test(value) && value.trim() !== '');
		fc.assert(
			fc.property(
				fc.array(message),
				fc.array(fc.nat(12)),
				fc.constantFrom('\n', '\r\n', '\n\n'),
				(messages, sizes, newline) => {
					const bytes = encoder.encode(messages.map((each) => each + newline).join(''));
					expect(split(cut(bytes, sizes))).toEqual(messages.map(text));
				},
			),
		);
	});

	it('reads back every frame that it writes', () => {
		fc.assert(
			fc.property(fc.array(fc.json()), fc.array(fc.nat(9)), (values, sizes) => {
				const frames = values.map((value) => encodeFrame(JSON.parse(value)));
				const lines = split(cut(encoder.encode(frames.join('')), sizes));
				expect(lines.map((line) => (line.kind === 'text' ? `${line.text}\n` : line.kind))).toEqual(frames);
			}),
		);
	});

	it('drops a byte order mark at the beginning and no other', () => {
		expect(split([encoder.encode('\uFEFF{"a":"\uFEFF"}\n')])).toEqual([text('{"a":"\uFEFF"}')]);
		expect(split([encoder.encode('\uFEFF\n')])).toEqual([]);
	});

	it('strips one carriage return and keeps those inside', () => {
		expect(split([encoder.encode('a\rb\r\r\n')])).toEqual([text('a\rb\r')]);
	});

	it('reports a line over the limit once, drops its rest and reads the next, at every split', () => {
		const bytes = encoder.encode(`${'x'.repeat(25)}\nok\n${'y'.repeat(11)}`);
		for (let at = 0; at <= bytes.length; at++) {
			expect(split(cut(bytes, [at]), 10)).toEqual([{ kind: 'too-long' }, text('ok'), { kind: 'too-long' }]);
		}
	});

	it('reports the long line as soon as it is known, before its newline comes', () => {
		expect([...new LineSplitter(10).push(encoder.encode('x'.repeat(11)))]).toEqual([{ kind: 'too-long' }]);
	});

	it('takes a line of exactly the limit', () => {
		expect(split([encoder.encode('0123456789\n')], 10)).toEqual([text('0123456789')]);
	});

	it('reports a line that is not UTF-8 and reads the next', () => {
		expect(split([Uint8Array.of(0x22, 0xff, 0x22, 0x0a, 0x31, 0x0a)])).toEqual([{ kind: 'not-utf8' }, text('1')]);
	});

	it('does not change when its caller reuses a chunk', () => {
		const splitter = new LineSplitter();
		const chunk = encoder.encode('abc');
		expect([...splitter.push(chunk)]).toEqual([]);
		chunk.fill(0x78);
		expect([...splitter.push(encoder.encode('\n'))]).toEqual([text('abc')]);
	});
});

describe('frame', () => {
	it('has one newline, at its end, whatever the message holds', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (value) => {
				const frame = encodeFrame({ value });
				expect(frame.indexOf('\n')).toBe(frame.length - 1);
				expect(JSON.parse(frame)).toEqual({ value });
			}),
		);
	});
});
