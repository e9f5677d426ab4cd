/**
 * The timeline's name for a screen reader, with the keys that it knows.
 * @param stepsOnly true where motion is to be reduced and nothing plays
 */
export function timelineLabel(stepsOnly: boolean): string {
	const keys = stepsOnly
		? 'Space and right arrow step forward, left arrow steps back'
		: 'Space plays and pauses, left and right arrow step';
	return `Timeline. ${keys}, Home and End go to the ends.`;
}
