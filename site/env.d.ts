/// <reference types="astro/client" />

interface ImportMetaEnv {
	/** The repository whose library this site shows. Known while building only; never read it in code for the browser. */
	readonly V10R_ROOT: string;
	/** The registry file. Known while building only. */
	readonly V10R_REGISTRY: string;
}
