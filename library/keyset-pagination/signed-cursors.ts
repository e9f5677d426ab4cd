/** Cursors that clients carry and cannot change: a position, signed together with the list that it belongs to. */
import { type CursorCodec, InvalidCursorError } from './keyset-pagination.ts';

/**
 * Cursors signed with HMAC-SHA-256: base64url of the position, a dot, base64url of the signature over identity and position.
 * Signed, not encrypted: the sort values can be read, so don't sort by what a client must not see.
 * @param secrets each of 32 characters or more; the first signs, all verify, so that a secret can be replaced in two steps
 */
export function signedCursors(secrets: readonly [string, ...string[]]): CursorCodec {
	if (secrets.some((secret) => secret.length < 32)) throw new RangeError('a cursor secret has 32 characters or more');
	const message = (identity: string, payload: string) => encoder.encode(JSON.stringify([identity, payload]));
	return {
		seal: async (identity, { backward, inclusive, keys }) => {
			const payload = toBase64Url(encoder.encode(JSON.stringify([backward, inclusive, keys])));
			const signature = await crypto.subtle.sign('HMAC', await hmacKey(secrets[0]), message(identity, payload));
			return `${payload}.${toBase64Url(new Uint8Array(signature))}`;
		},
		open: async (identity, cursor) => {
			const [payload = '', mac = '', ...rest] = cursor.split('.');
			const signature = fromBase64Url(mac);
			if (rest.length > 0 || !signature) throw new InvalidCursorError();
			for (const secret of secrets) {
				// `verify` compares in constant time.
				if (await crypto.subtle.verify('HMAC', await hmacKey(secret), signature, message(identity, payload))) {
					const json = new TextDecoder().decode(fromBase64Url(payload));
					const [backward, inclusive, keys] = JSON.parse(json) as [boolean, boolean, string[]];
					return { backward, inclusive, keys };
				}
			}
			throw new InvalidCursorError();
		},
	};
}

const encoder = new TextEncoder();

function hmacKey(secret: string): Promise<CryptoKey> {
	const algorithm = { name: 'HMAC', hash: 'SHA-256' };
	return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign', 'verify']);
}

function toBase64Url(bytes: Uint8Array): string {
	const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
	return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined for anything but the one way to write these bytes: other spellings of a signature are other cursors. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
	if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
	const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
	return toBase64Url(bytes) === text ? bytes : undefined;
}
