/**
 * The English stemmer Porter2 (https://snowballstem.org/algorithms/english/stemmer.html, the version of 2001 to 2023):
 * "retries", "retried" and "retrying" all become "retri". Our own, since the server runs without dependencies; tested
 * word by word against a published implementation.
 */

const EXCEPTIONS = new Map(
	Object.entries({
		skis: 'ski',
		skies: 'sky',
		dying: 'die',
		lying: 'lie',
		tying: 'tie',
		idly: 'idl',
		gently: 'gentl',
		ugly: 'ugli',
		early: 'earli',
		only: 'onli',
		singly: 'singl',
	}),
);
const UNCHANGED = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes']);
const UNCHANGED_AFTER_PLURAL = new Set([
	...['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed'],
]);

/** Suffixes of one step with what replaces them, longest first, by their last letter: most words end in none of them. */
type Suffixes = ReadonlyMap<string, readonly (readonly [suffix: string, replacement: string])[]>;

const longestFirst = (pairs: Record<string, string>): Suffixes => {
	const sorted = Object.entries(pairs).sort(([a], [b]) => b.length - a.length);
	const endings = new Set(sorted.map(([suffix]) => suffix.slice(-1)));
	return new Map([...endings].map((ending) => [ending, sorted.filter(([suffix]) => suffix.endsWith(ending))]));
};

const STEP_2 = longestFirst({
	tional: 'tion',
	enci: 'ence',
	anci: 'ance',
	abli: 'able',
	entli: 'ent',
	izer: 'ize',
	ization: 'ize',
	ational: 'ate',
	ation: 'ate',
	ator: 'ate',
	alism: 'al',
	aliti: 'al',
	alli: 'al',
	fulness: 'ful',
	ousli: 'ous',
	ousness: 'ous',
	iveness: 'ive',
	iviti: 'ive',
	biliti: 'ble',
	bli: 'ble',
	ogi: 'og',
	fulli: 'ful',
	lessli: 'less',
	li: '',
});
const STEP_3 = longestFirst({
	tional: 'tion',
	ational: 'ate',
	alize: 'al',
	icate: 'ic',
	iciti: 'ic',
	ical: 'ic',
	ful: '',
	ness: '',
	ative: '',
});
const STEP_4 = longestFirst(
	Object.fromEntries(
		'al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion'
			.split(' ')
			.map((suffix) => [suffix, '']),
	),
);

const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const VALID_BEFORE_LI = /[cdeghkmnrt]$/;
/** A short syllable at the end: vowel and non-vowel (not w, x or Y) after a non-vowel, or at the start of the word. */
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;
const REGION = /[aeiouy][^aeiouy]/;

/** The stem of a lower-case word. Words of one or two letters, and words of another script, stay as they are. */
export function stem(word: string): string {
	const bare = word.replace(/^'/, '');
	if (bare.length <= 2) return bare;
	const exception = EXCEPTIONS.get(bare);
	if (exception) return exception;
	if (UNCHANGED.has(bare)) return bare;

	const marked = bare.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
	const regions = regionsOf(marked);
	const singular = dropPlural(marked.replace(/(?:'s'|'s|')$/, ''));
	if (UNCHANGED_AFTER_PLURAL.has(singular)) return singular;

	const present = dropPastAndGerund(singular, regions.r1);
	const turned = present.replace(/(.[^aeiouy])[yY]$/, '$1i');
	const second = replaceSuffix(turned, STEP_2, (rest, suffix) => {
		if (rest.length < regions.r1) return false;
		if (suffix === 'ogi') return rest.endsWith('l');
		return suffix !== 'li' || VALID_BEFORE_LI.test(rest);
	});
	const third = replaceSuffix(
		second,
		STEP_3,
		(rest, suffix) => rest.length >= (suffix === 'ative' ? regions.r2 : regions.r1),
	);
	const fourth = replaceSuffix(
		third,
		STEP_4,
		(rest, suffix) => rest.length >= regions.r2 && (suffix !== 'ion' || /[st]$/.test(rest)),
	);
	return dropFinal(fourth, regions).replaceAll('Y', 'y');
}

/** Where R1 and R2 begin: after the first non-vowel that follows a vowel, once and twice. */
function regionsOf(word: string): { r1: number; r2: number } {
	const after = (from: number) => {
		const at = word.slice(from).search(REGION);
		return at < 0 ? word.length : from + at + 2;
	};
	const r1 = /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? after(0);
	return { r1, r2: after(r1) };
}

function dropPlural(word: string): string {
	if (word.endsWith('sses')) return word.slice(0, -2);
	if (/(?:ied|ies)$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
	if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word;
	return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function dropPastAndGerund(word: string, r1: number): string {
	const eed = /(?:eedly|eed)$/.exec(word);
	if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
	const suffix = /(?:ingly|edly|ing|ed)$/.exec(word);
	if (!suffix) return word;
	const rest = word.slice(0, suffix.index);
	if (!VOWEL.test(rest)) return word;
	if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
	if (DOUBLE.test(rest)) return rest.slice(0, -1);
	return SHORT_SYLLABLE.test(rest) && rest.length <= r1 ? `${rest}e` : rest;
}

function replaceSuffix(word: string, suffixes: Suffixes, allowed: (rest: string, suffix: string) => boolean): string {
	const found = suffixes.get(word.slice(-1))?.find((pair) => word.endsWith(pair[0]));
	if (!found) return word;
	const rest = word.slice(0, word.length - found[0].length);
	return allowed(rest, found[0]) ? rest + found[1] : word;
}

function dropFinal(word: string, { r1, r2 }: { r1: number; r2: number }): string {
	const rest = word.slice(0, -1);
	if (word.endsWith('e')) {
		return rest.length >= r2 || (rest.length >= r1 && !SHORT_SYLLABLE.test(rest)) ? rest : word;
	}
	return word.endsWith('ll') && rest.length >= r2 ? rest : word;
}
