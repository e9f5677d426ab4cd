/// <reference types="astro/client" />

interface ImportMetaEnv {
	/** The repository whose library this site shows. Known while building only; never read it in code for the browser. */
	readonly V10R_ROOT: string;
	/** The registry file. Known while building only. */
	readonly V10R_REGISTRY: string;
	/** The origin of the site. */
	readonly V10R_SITE: string;
	/** The path below which all of the site lies, `/` or `/name`. */
	readonly V10R_BASE: string;
}
