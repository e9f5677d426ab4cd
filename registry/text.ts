import { stem } from './stemmer.ts';

/**
 * The one tokenizer: what authors write, what people ask and what the site searches become terms here and nowhere else,
 * so that a keyword which is lost in one place is lost in all, where a test sees it.
 */

/** Words that say nothing about a subject: function words, and the fillers of a question or a request. */
const STOPWORDS = new Set(
	`a about am an and any anyone anything are as at be because been being but by can cannot cant could did didnt do does
	doesnt doing done dont each either else etc ever every for from get gets getting give gives go goes going got had has have having he
	her here hers him his how however i id if ill im in instead into is isnt it its itself ive just know let lets like looking lot
	make makes making many may maybe me might mine more most much must my myself need needed needs neither no nor not of off
	on or other our ours out over own please quite rather really shall she should shouldnt so some somebody
	somehow someone something sometimes such sure than that thats the their theirs them themselves then there theres these they
	theyre thing things this those though through thus to too try trying under until up upon us use used using very via want wanted wants was
	wasnt way ways we well were werent what whats when whenever where whereas wherever whether which whichever who whoever whom whose why will with
	within wont would wouldnt yes yet you your yours
	best good nice better help idea implement implementation approach pattern solution example`
		.split(/\s+/)
		.filter(Boolean),
);

/** Terms that splitting at symbols would destroy: c++, c#, .net, and one letter or digit joined to another (n+1, i/o, q&a). */
const SYMBOL_TERM = String.raw`(?<![\p{L}\p{N}])(?:[a-z]\+\+|[a-z]#|\.net|[a-z0-9]+\+[a-z0-9]+|[a-z0-9][/&][a-z0-9])(?![\p{L}\p{N}])`;
/** Scripts written without spaces between words. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+`;
const TERM = new RegExp(`${SYMBOL_TERM}|${UNSPACED}|[\\p{L}\\p{N}\\p{M}]+`, 'gu');
const UNSPACED_ONLY = new RegExp(`^${UNSPACED}$`, 'u');
/** What takes the whole expression; a text without it takes a plain one, which is many times faster. */
const SPECIAL = /[+#/&\x80-\uffff]|\.net/;
const PLAIN_TERM = /[a-z0-9]+/g;
const ASCII = /^[\0-\x7f]*$/;
const COMBINING_AFTER_LATIN = /(?<=[a-z])\p{M}+/gu;

/** A term as it is indexed, beside the word that it came from. */
export interface Token {
	/** The stem, or the symbol term, or two neighbouring characters of a script without spaces. */
	readonly term: string;
	/** The word as written, in lower case and without accents: what a message shows. */
	readonly word: string;
}

/**
 * Splits text into terms, in order, repeats included. Lower case, accents of Latin letters folded, British spellings
 * brought to American ones, English stemmed; stop words and single letters dropped. Scripts without spaces give pairs
 * of neighbouring characters. Needs no locale.
 */
export function tokenize(text: string): Token[] {
	const folded = normalize(text);
	const tokens: Token[] = [];
	for (const found of folded.match(SPECIAL.test(folded) ? TERM : PLAIN_TERM) ?? []) {
		if (found > '\u007f' && UNSPACED_ONLY.test(found)) {
			tokens.push(...pairs(found));
			continue;
		}
		const token = tokenOf(found);
		if (token) tokens.push(token);
	}
	return tokens;
}

/** The distinct terms of a text, in order of first occurrence. */
export function termsOf(text: string): string[] {
	return [...new Set(tokenize(text).map(({ term }) => term))];
}

/** A name or title brought to the form in which two spellings of it are equal: lower case, words joined by one space. */
export function foldName(text: string): string {
	return normalize(text)
		.replace(/[^\p{L}\p{N}+#.]+/gu, ' ')
		.trim();
}

function normalize(text: string): string {
	const lower = ASCII.test(text) ? text.toLowerCase() : foldUnicode(text);
	const bare = lower.includes("'")
		? lower.replace(/(?<=\p{L})'s\b/gu, '').replace(/(?<=\p{L})'(?=\p{L})/gu, '')
		: lower;
	return bare.includes('e-mail') ? bare.replace(/\be-mail/g, 'email') : bare;
}

/** Compatibility forms and accents of Latin letters folded, typographic apostrophes made plain. */
function foldUnicode(text: string): string {
	return text
		.normalize('NFKC')
		.toLowerCase()
		.normalize('NFD')
		.replace(COMBINING_AFTER_LATIN, '')
		.normalize('NFC')
		.replace(/[’ʼ]/g, "'");
}

/** Tokens of words that were seen before, null for those that are dropped: a registry repeats its words. */
const seen = new Map<string, Token | null>();
const MAX_SEEN = 50_000;
/** Longer runs of letters are no words: they are neither stemmed nor kept. */
const MAX_CACHED = 64;

function tokenOf(word: string): Token | null {
	if (word.length > MAX_CACHED) return { term: word, word };
	const known = seen.get(word);
	if (known !== undefined) return known;
	const token = word.length > 1 && !STOPWORDS.has(word) ? { term: termOf(word), word } : null;
	if (seen.size >= MAX_SEEN) seen.clear();
	seen.set(word, token);
	return token;
}

function termOf(word: string): string {
	return /^[a-z]+$/.test(word) ? stem(spelling(word)) : word.replace(/(?<=^\d+)s$/, '');
}

/** British endings in their American form: normalise → normalize, behaviour → behavior. Wrong for a few words (promise), but the same on both sides. */
function spelling(word: string): string {
	if (word.includes('is')) return word.replace(/(?<=[a-z]{3})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)/, 'iz');
	if (word.includes('our')) return word.replace(/(?<=[a-z]{3})our(?=(?:s|ed|ing|al|ally|able|ite|ites)?$)/, 'or');
	return word;
}

function pairs(run: string): Token[] {
	const characters = [...run];
	if (characters.length === 1) return [{ term: run, word: run }];
	return characters.slice(1).map((character, at) => {
		const pair = `${characters[at]}${character}`;
		return { term: pair, word: pair };
	});
}
