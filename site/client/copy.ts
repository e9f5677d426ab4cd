/**
 * Copy buttons: `data-copy` holds the text itself, `data-copy-from` the address of a file of this site. What happened is
 * said in the button and to screen readers.
 */
const SHOWN_MS = 2000;

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy], button[data-copy-from]')) {
	const label = button.querySelector<HTMLElement>('[data-copy-label]') ?? button;
	const before = label.textContent ?? '';
	let timer = 0;
	const say = (text: string) => {
		label.textContent = text;
		clearTimeout(timer);
		timer = window.setTimeout(() => {
			label.textContent = before;
		}, SHOWN_MS);
	};
	button.addEventListener('click', async () => {
		try {
			await navigator.clipboard.writeText(await textOf(button));
			say('Copied');
		} catch {
			say('Not copied: the browser refused');
		}
	});
}

async function textOf(button: HTMLButtonElement): Promise<string> {
	const { copy, copyFrom } = button.dataset;
	if (copyFrom === undefined) return copy ?? '';
	const response = await fetch(copyFrom);
	if (!response.ok) throw new Error(`${copyFrom} answered ${response.status}`);
	return response.text();
}
