import { KIND_WORDS } from './kinds.ts';
import { endOf, type RecordedCheck, type Recording } from './recorder.ts';
import { escapeHtml } from './svg.ts';
import { spanText, timeText } from './time-text.ts';

/** The rows of the log, one for each event in the order of time. */
export function logRows({ events }: Recording): string {
	return events
		.map(
			(event, index) =>
				`<tr data-i="${index}" class="k-${event.kind}"><td>${spanText(event)}</td><td>${escapeHtml(event.lane)}</td>` +
				`<td><span class="kind"><svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true"><use href="#k-${event.kind}"/></svg>` +
				`<span class="known">${KIND_WORDS[event.kind]}</span></span></td><td>${escapeHtml(event.label)}</td></tr>`,
		)
		.join('');
}

/** The invariants as list items, each with its verdict in words and what was seen. */
export function checkItems({ checks }: Recording): string {
	return checks
		.map(
			(check, index) =>
				`<li data-i="${index}" data-verdict="${check.ok ? 'holds' : 'broken'}" style="--i:${index}"><span class="verdict">` +
				`<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><use href="#v-${check.ok ? 'holds' : 'broken'}"/></svg>` +
				`<span class="word">${check.ok ? 'Holds' : 'Broken'}</span></span><span class="rule">${escapeHtml(check.rule)}</span>` +
				`${check.detail ? `<span class="detail">${escapeHtml(check.detail)}</span>` : ''}</li>`,
		)
		.join('');
}

/** The verdict on a run in one line. */
export function verdictText(checks: readonly RecordedCheck[], of = checks.length): string {
	const broken = checks.filter(({ ok }) => !ok).length;
	if (checks.length < of) return `${checks.length} of ${of} rules checked${broken > 0 ? `, ${broken} broken` : ''}`;
	if (broken === 0) return `All ${of} rules hold`;
	return `${broken} of ${of} rules broken`;
}

/**
 * An event in one line: when it began or was known, who, what and its words, `350 ms · calls: fails (503)`.
 * @param beside how many others stand at the same time
 * @param at the playhead, in virtual milliseconds: before its end a span is under way, and nothing tells how it ends
 */
export function eventText(recording: Recording, index: number, beside: number, at: number): string {
	const event = recording.events[index];
	if (!event) return '';
	const open = endOf(event) > at;
	const what = open ? 'under way' : KIND_WORDS[event.kind];
	const others = beside > 0 ? `, and ${beside} more` : '';
	return `${timeText(open ? event.t : endOf(event))} · ${event.lane}: ${what}${open ? '' : inWords(event.label, what)}${others}`;
}

/** A label behind the word of its kind: not twice the same, and no brackets within brackets. */
function inWords(label: string, what: string): string {
	if (label === '' || label === what) return '';
	return /[()]/.test(label) ? `, ${label}` : ` (${label})`;
}
