// What a watch saw, and what its owner should know of it, in the reader's language: the sentences of changes/watches/watch-words.ts,
// which feeds, webhooks and the terminal have in English.

import type { PageWatch, WatchSighting, WatchState } from '../../../changes/watches/page-watch.ts'
import { type Html, html } from '../../markup/html.ts'
import { watchesTexts } from '../../texts/watches.ts'

export function sightingMessage(sighting: WatchSighting): Html {
  const { kind, status, target, part, partBefore, wordShare, isFirst } = sighting
  if (kind === 'gone')
    return status === undefined ? watchesTexts.unreachable : watchesTexts.gone({ status: String(status) })
  if (target !== undefined) return watchesTexts.redirects({ url: html`<bdi>${target}</bdi>` })
  if (isFirst) return part === 'missing' ? watchesTexts.firstWithout : watchesTexts.first
  if (part === 'missing') return partBefore === 'found' ? watchesTexts.partGone : watchesTexts.partMissing
  if (kind === 'new') return watchesTexts.newPage
  if (kind === 'back') return watchesTexts.back
  if (partBefore === 'missing') return watchesTexts.partBack
  return wordShare === undefined
    ? watchesTexts.changed
    : watchesTexts.changedShare({ share: share(wordShare) })
}

/** undefined when all is well. */
export function stateMessage({ look }: Pick<PageWatch, 'look'>, state: WatchState): Html | undefined {
  const { part, isGone, redirectsTo } = state
  if (isGone) return watchesTexts.goneTrouble
  if (redirectsTo !== undefined)
    return watchesTexts.redirectsTrouble({ url: html`<bdi>${redirectsTo}</bdi>` })
  if (part !== 'missing') return undefined
  return look.part.kind === 'selector'
    ? watchesTexts.selectorTrouble({ selector: look.part.selector })
    : watchesTexts.noText
}

function share(ofWords: number): Html | string {
  const percent = ofWords * 100
  return percent > 0 && percent < 1 ? watchesTexts.lessThanOne : `${Math.round(percent)} %`
}
