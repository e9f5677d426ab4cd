import { howMany } from '../../library/how-many.ts';
import { filterItems, type Selection, selectionFrom, selectionQuery } from './facet-filter.ts';

/** The catalog's facets: they narrow the list at once, and their state is in the address. */
const form = document.querySelector<HTMLFormElement>('form[data-facets]');
if (form) start(form);

function start(form: HTMLFormElement): void {
	const boxes = [...form.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')];
	const facetIds = [...new Set(boxes.map(({ name }) => name))];
	const elements = [...document.querySelectorAll<HTMLElement>('[data-item]')];
	const items = elements.map(({ dataset }) =>
		Object.fromEntries(facetIds.map((id) => [id, (dataset[id] ?? '').split(' ')])),
	);
	const sections = [...document.querySelectorAll<HTMLElement>('[data-section]')];
	const status = document.querySelector<HTMLElement>('[data-facet-status]');
	const reset = document.querySelectorAll<HTMLElement>('[data-facet-reset]');
	const none = document.querySelector<HTMLElement>('[data-facet-none]');

	const chosen = (): Selection =>
		Object.fromEntries(
			facetIds.map((id) => [id, boxes.filter((box) => box.name === id && box.checked).map(({ value }) => value)]),
		);

	function show(): void {
		const selection = chosen();
		const { shown, counts } = filterItems(items, selection);
		for (const [at, element] of elements.entries()) element.hidden = !shown.has(at);
		for (const section of sections) section.hidden = section.querySelector('[data-item]:not([hidden])') === null;
		for (const box of boxes) {
			const count = counts.get(`${box.name}=${box.value}`) ?? 0;
			const label = box.closest('label');
			const number = label?.querySelector('[data-count]');
			if (number) number.textContent = String(count);
			label?.classList.toggle('empty', count === 0 && !box.checked);
		}
		const isFiltered = Object.values(selection).some((values) => values.length > 0);
		if (status) {
			status.textContent = isFiltered
				? `${shown.size} of ${howMany(elements.length, 'pattern')}`
				: howMany(elements.length, 'pattern');
		}
		for (const button of reset) button.hidden = !isFiltered;
		if (none) none.hidden = shown.size > 0;
	}

	function readAddress(): void {
		const selection = selectionFrom(new URLSearchParams(location.search), facetIds);
		for (const box of boxes) box.checked = selection[box.name]?.includes(box.value) ?? false;
		show();
	}

	function writeAddress(): void {
		const query = selectionQuery(chosen());
		history.replaceState(null, '', `${location.pathname}${query === '' ? '' : `?${query}`}${location.hash}`);
	}

	form.addEventListener('change', () => {
		show();
		writeAddress();
	});
	form.addEventListener('submit', (event) => event.preventDefault());
	for (const button of reset) {
		button.addEventListener('click', () => {
			for (const box of boxes) box.checked = false;
			show();
			writeAddress();
			boxes[0]?.focus();
		});
	}
	addEventListener('popstate', readAddress);
	const folded = form.querySelector('details');
	const wide = matchMedia('(min-width: 64rem)');
	const fold = () => {
		if (folded) folded.open = wide.matches;
	};
	wide.addEventListener('change', fold);
	fold();
	readAddress();
}
