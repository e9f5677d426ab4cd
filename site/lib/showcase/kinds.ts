import type { EventKind } from '../../../library/scenario.ts';

/** What each kind is called where it is read and not seen. The same words stand in the legend. */
export const KIND_WORDS: Readonly<Record<EventKind, string>> = {
	start: 'begins',
	ok: 'succeeds',
	fail: 'fails',
	wait: 'waits',
	reject: 'refused',
	abort: 'cancelled',
	state: 'changes',
	info: 'note',
};

/** The kinds in the order of the legend. */
export const KINDS = Object.keys(KIND_WORDS) as EventKind[];

/**
 * The sign of each kind, as the content of an SVG group around 0,0 within ±6. Each has a shape of its own, so that
 * nothing hangs on colour. Filled parts are of the class `f`, lines on them of the class `n`.
 */
export const GLYPHS: Readonly<Record<EventKind, string>> = {
	start: '<path class="f" d="M-4-5 5.500 0-4 5Z"/>',
	ok: '<circle class="f" r="5.500"/><path class="n" d="m-2.600.2 1.900 2L2.700-2"/>',
	fail: '<rect class="f" x="-5" y="-5" width="10" height="10" rx="1.500"/><path class="n" d="m-2.200-2.200 4.400 4.400m0-4.400-4.400 4.400"/>',
	wait: '<circle class="o" r="4.700"/><path class="o" d="M0-2.600V.3L1.900 1.500"/>',
	reject: '<circle class="o" r="4.700"/><path class="o" d="M-3.300-3.300 3.300 3.300"/>',
	abort: '<path class="o" d="M-4.500-4.500 4.500 4.500M4.500-4.500-4.500 4.500"/>',
	state: '<path class="f" d="M0-6 6 0 0 6-6 0Z"/>',
	info: '<path class="o" d="M-4.500-4.500h9v9h-9ZM-2-1h4M-2 1.500h2.500"/>',
};
