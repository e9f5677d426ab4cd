import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createLog } from './log.ts';

it('opens its stream at the first line, once', () => {
	const stream = new PassThrough();
	let opened = 0;
	const log = createLog(() => {
		opened++;
		return stream;
	});
	expect(opened).toBe(0);
	log('one');
	log('two');
	expect(opened).toBe(1);
	expect(String(stream.read())).toBe('one\ntwo\n');
});

it('goes on when nobody reads any more', async () => {
	const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
	const failed = new Promise((resolve) => broken.on('close', resolve));
	const log = createLog(() => broken);
	log('lost');
	await failed;
	expect(() => log('lost too')).not.toThrow();
});
