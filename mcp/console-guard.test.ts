import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { guardConsole } from './console-guard.ts';

it('keeps everything that a console prints away from stdout', () => {
	const [out, err] = [new PassThrough(), new PassThrough()];
	const target = new Console(out, err);
	guardConsole(target);
	target.log('a', 1);
	target.info('b');
	target.debug('c');
	target.dir({ d: 1 });
	target.dirxml('e');
	target.table([{ f: 1 }]);
	target.group('g');
	target.groupCollapsed('h');
	target.count('i');
	target.time('j');
	target.timeLog('j');
	target.timeEnd('j');
	target.error('k');
	target.warn('l');
	target.trace('m');
	target.assert(false, 'n');
	expect(out.read()).toBeNull();
	expect(String(err.read())).toContain('a 1\nb\nc\n');
});
