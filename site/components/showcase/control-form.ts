import { type Control, type ControlValues, controlValues } from '../../../library/scenario.ts';

export interface ControlForm {
	/** Shows values in the form. Tells nobody. */
	write(values: ControlValues): void;
	/** Puts every field back to the scenario's default, but for the pattern switch; tells it as settled. */
	reset(): void;
}

/** The form of a scenario's controls: reads and writes its fields, and tells while a value moves and once it is settled. */
export function controlForm(
	root: HTMLElement,
	controls: readonly Control[],
	on: { changed(values: ControlValues): void; settled(values: ControlValues): void },
): ControlForm {
	const form = root.querySelector('form');
	const fields = (name: string) =>
		[...(form?.elements ?? [])].filter(
			(field): field is HTMLInputElement | HTMLSelectElement =>
				(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && field.name === name,
		);
	const read = () =>
		controlValues(controls, Object.fromEntries(controls.map(({ id }) => [id, fields(id).map(textOf).find(Boolean)])));

	form?.addEventListener('submit', (event) => event.preventDefault());
	form?.addEventListener('input', (event) => {
		if (!isOurs(event.target)) return;
		showOutput(event.target);
		if (event.target instanceof HTMLInputElement && event.target.type === 'range') on.changed(read());
	});
	form?.addEventListener('change', (event) => {
		if (isOurs(event.target)) on.settled(read());
	});

	function isOurs(target: EventTarget | null): target is HTMLInputElement | HTMLSelectElement {
		return (
			(target instanceof HTMLInputElement || target instanceof HTMLSelectElement) &&
			controls.some(({ id }) => id === target.name)
		);
	}

	function write(values: ControlValues): void {
		for (const { id } of controls) {
			for (const field of fields(id)) {
				const value = String(values[id]);
				if (field instanceof HTMLInputElement && field.type === 'radio') field.checked = field.value === value;
				else if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value === 'true';
				else field.value = value;
				showOutput(field);
			}
		}
	}

	return {
		write,
		reset() {
			const values = { ...controlValues(controls), pattern: read().pattern ?? true };
			write(values);
			on.settled(values);
		},
	};
}

/** The field's share of its control's value as text; nothing for a radio button that is not chosen. */
function textOf(field: HTMLInputElement | HTMLSelectElement): string | undefined {
	if (field instanceof HTMLInputElement && field.type === 'checkbox') return String(field.checked);
	if (field instanceof HTMLInputElement && field.type === 'radio' && !field.checked) return undefined;
	return field.value;
}

function showOutput(field: HTMLInputElement | HTMLSelectElement): void {
	const output = field.parentElement?.querySelector('output');
	if (!output || field.type !== 'range') return;
	const text = field.dataset.unit ? `${field.value} ${field.dataset.unit}` : field.value;
	output.value = text;
	field.setAttribute('aria-valuetext', text);
}
