// Watch words: what a watch saw, in a sentence for people: the same in lists, feeds, messages and on the terminal.

import type { PageWatch, WatchSighting, WatchState } from './page-watch.ts'

export function sightingWords(sighting: WatchSighting): string {
  const { kind, status, target, part, partBefore, wordShare, isFirst } = sighting
  if (kind === 'gone')
    return status === undefined ? 'The page cannot be reached any more' : `The page is gone (${status})`
  if (target !== undefined) return `The page redirects to ${target}`
  if (isFirst) return part === 'missing' ? 'First version; the watched part is not there' : 'First version'
  if (part === 'missing')
    return partBefore === 'found' ? 'The watched part is gone' : 'The watched part is not there'
  if (kind === 'new') return 'A new page'
  if (kind === 'back') return 'The page is back'
  if (partBefore === 'missing') return 'The watched part is there again'
  return wordShare === undefined ? 'Changed' : `Changed, ${shareWords(wordShare)} of its words`
}

export function shareWords(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return 'less than 1 %'
  return `${Math.round(percent)} %`
}

/** What its owner should know; undefined when all is well. */
export function stateTrouble({ look }: Pick<PageWatch, 'look'>, state: WatchState): string | undefined {
  const { part, isGone, redirectsTo } = state
  if (isGone) return 'The page is gone.'
  if (redirectsTo !== undefined) return `The page redirects to ${redirectsTo}: watch that instead.`
  if (part !== 'missing') return undefined
  return look.part.kind === 'selector'
    ? `The selector ${look.part.selector} selects nothing on the newest version.`
    : 'There is no text on the newest version.'
}
