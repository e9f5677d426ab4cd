import type { Writable } from 'node:stream';

/**
 * Writes lines to a stream that is opened at the first one: opening stderr costs a good part of the server's start.
 * When nobody reads the stream any more its lines are lost; that must not end the server.
 */
export function createLog(open: () => Pick<Writable, 'on' | 'write'>): (text: string) => void {
	let stream: Pick<Writable, 'on' | 'write'> | undefined;
	return (text) => {
		stream ??= open().on('error', () => undefined);
		stream.write(`${text}\n`);
	};
}
