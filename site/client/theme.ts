/** The theme button: light or dark, remembered; until it is used the system's own choice holds. */
const root = document.documentElement;
const button = document.querySelector<HTMLButtonElement>('[data-theme-toggle]');
const system = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
const show = () => button?.setAttribute('aria-pressed', String(isDark()));

button?.addEventListener('click', () => {
	const next = isDark() ? 'light' : 'dark';
	root.dataset.theme = next;
	try {
		localStorage.setItem('theme', next);
	} catch {
		// Storage may be refused; the choice then lasts as long as the page.
	}
	show();
});
system.addEventListener('change', show);
show();
