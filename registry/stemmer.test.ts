import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { stem } from './stemmer.ts';

const require = createRequire(import.meta.url);
const words: string[] = require('an-array-of-english-words');
const published: (word: string) => string = require('wink-porter2-stemmer');

/** Where the published implementation leaves its specification: `howe` is on the list of exceptions, and every y after a vowel is a consonant. */
const MISTAKES_OF_THE_PUBLISHED = ['howe', 'naysayer', 'naysayers', 'waylayer', 'waylayers'];

describe('stem', () => {
	it('agrees with a published Porter2 on every word of an English word list', () => {
		const different = words.filter((word) => stem(word) !== published(word));
		expect(different).toEqual(MISTAKES_OF_THE_PUBLISHED);
		expect(words.length).toBeGreaterThan(200_000);
	});

	it('gives the forms of a word one stem', () => {
		expect(['retry', 'retries', 'retried', 'retrying'].map(stem)).toEqual(['retri', 'retri', 'retri', 'retri']);
		expect(['cancelled', 'cancels', 'cancel', 'cancelling'].map(stem)).toEqual(Array(4).fill('cancel'));
	});

	it('leaves short words and other scripts alone', () => {
		expect(['ai', 'is', '検索', 'поиск', '429'].map(stem)).toEqual(['ai', 'is', '検索', 'поиск', '429']);
	});
});
