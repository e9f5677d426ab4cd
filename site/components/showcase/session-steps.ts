/** One step of the recorded session at a time. The step stands in the address, so links and Back lead to it. */
const session = document.querySelector<HTMLElement>('[data-session]');
const steps = [...(session?.querySelectorAll<HTMLElement>('.step') ?? [])];
const links = [...(session?.querySelectorAll<HTMLAnchorElement>('.contents a') ?? [])];
const count = session?.querySelector<HTMLElement>('[data-count]');
const buttons = {
	back: session?.querySelector<HTMLButtonElement>('[data-step="back"]'),
	next: session?.querySelector<HTMLButtonElement>('[data-step="next"]'),
};

function stepOfAddress(): number | undefined {
	const index = steps.findIndex(({ id }) => `#${id}` === location.hash);
	return index < 0 ? undefined : index;
}

let current = stepOfAddress() ?? 0;

function show(index: number): void {
	current = Math.min(steps.length - 1, Math.max(0, index));
	steps.forEach((step, i) => {
		step.hidden = i !== current;
	});
	links.forEach((link) => {
		if (link.hash === `#${steps[current]?.id}`) link.setAttribute('aria-current', 'step');
		else link.removeAttribute('aria-current');
	});
	const text = `Step ${current + 1} of ${steps.length}`;
	if (count && count.textContent !== text) count.textContent = text;
	if (buttons.back) buttons.back.disabled = current === 0;
	if (buttons.next) buttons.next.disabled = current === steps.length - 1;
}

/** To a step by button or key. The address follows without a jump of the page. */
function go(index: number): void {
	if (index < 0 || index >= steps.length) return;
	show(index);
	history.replaceState(history.state, '', `#${steps[current]?.id}`);
}

for (const [name, button] of Object.entries(buttons)) {
	button?.addEventListener('click', () => {
		go(current + (name === 'next' ? 1 : -1));
		// A button that has just been disabled would lose the focus to the page.
		if (button.disabled) buttons[name === 'next' ? 'back' : 'next']?.focus();
	});
}
session?.querySelector('.stepper')?.addEventListener('keydown', (event) => {
	if (!(event instanceof KeyboardEvent) || event.altKey || event.ctrlKey || event.metaKey) return;
	const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: steps.length - 1 }[event.key];
	if (to === undefined) return;
	event.preventDefault();
	go(to);
});
addEventListener('hashchange', () => {
	const index = stepOfAddress();
	if (index === undefined) return;
	show(index);
	steps[index]?.scrollIntoView({ block: 'nearest' });
});
if (session) {
	show(current);
	if (stepOfAddress() !== undefined) steps[current]?.scrollIntoView({ block: 'nearest' });
	session.dataset.ready = '';
}

export {};
