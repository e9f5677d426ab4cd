const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of an HTTP-date, RFC 9110 §5.6.7: IMF-fixdate, the obsolete RFC 850 form, and asctime. All are GMT. */
const DATES = [
	/^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) GMT$/,
	/^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) GMT$/,
	/^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) (?<year>\d{4})$/,
];

/**
 * Milliseconds to wait, from the value of a Retry-After header (RFC 9110 §10.2.3): whole seconds, or an HTTP-date, which
 * is compared with the wall clock. Zero for a date that has passed.
 *
 * Not left to Date.parse: it reads the asctime form as local time and accepts nearly anything, a bare "1.5" included.
 * @param now the wall clock, in milliseconds since 1970
 * @returns undefined when there is no header or it says nothing that can be understood
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	for (const form of DATES) {
		const part = form.exec(text)?.groups;
		const month = MONTHS.indexOf(part?.month ?? '');
		if (!part || month < 0) continue;
		const [day, h, m, s] = [Number(part.day), Number(part.h), Number(part.m), Number(part.s)];
		if (day < 1 || day > 31 || h > 23 || m > 59 || s > 60) return undefined;
		const date = new Date(0);
		date.setUTCFullYear(fullYear(part.year ?? '', now), month, day);
		date.setUTCHours(h, m, s);
		return Math.max(0, date.getTime() - now);
	}
	return undefined;
}

/** A year of two digits that seems more than 50 years ahead is the latest past year with these digits (§5.6.7). */
function fullYear(digits: string, now: number): number {
	if (digits.length === 4) return Number(digits);
	const current = new Date(now).getUTCFullYear();
	const year = Math.floor(current / 100) * 100 + Number(digits);
	return year > current + 50 ? year - 100 : year;
}
