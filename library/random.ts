/**
 * A seeded source of numbers in [0, 1), for tests and scenarios: the same seed gives the same sequence everywhere.
 * A 32-bit xorshift generator (Marsaglia, "Xorshift RNGs", 2003; shifts 13, 17, 5). Not for secrets.
 */
export function seededRandom(seed: number): () => number {
	// Neighbouring seeds must not begin alike, and zero is the one state that the generator never leaves.
	let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 1;
	const next = () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return (state >>> 0) / 2 ** 32;
	};
	for (let discarded = 0; discarded < 8; discarded++) next();
	return next;
}
