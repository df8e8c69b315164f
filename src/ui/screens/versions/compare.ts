// Compare: what is different between two versions: their words side by side or in line, their links, their looks.
//
// All views stand in one page and are switched without a script. The frames of the last one are loaded when seen.

import type { LinkDifference } from '../../../changes/page-change/difference/link-difference.ts'
import type { TextDifference } from '../../../changes/page-change/difference/text-difference.ts'
import type { Url } from '../../../model/url/url.ts'
import type { Version } from '../../archive.ts'
import { printCount, printDuration } from '../../markup/amounts.ts'
import { printMoment, printShortDay, timeElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, comparePath, versionPath } from '../../markup/links.ts'
import { briefUrl, readableUrl } from '../../markup/readable-url.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { compareTexts } from '../../texts/compare.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { linkLists } from '../graph/link-lists.ts'
import { looks } from '../looks.ts'
import { textTable } from '../text-table.ts'

interface CompareData {
  readonly url: Url
  readonly left: ComparedVersion
  readonly right: ComparedVersion
  readonly replayOrigin: string
  readonly outcome: CompareOutcome
}

export interface ComparedVersion {
  readonly version: Version
  readonly previous: Version | undefined
  readonly next: Version | undefined
}

export type CompareOutcome =
  | {
      readonly kind: 'compared'
      readonly titles: { readonly left: string; readonly right: string }
      readonly text: TextDifference
      readonly links: LinkDifference
      readonly isCut: boolean
    }
  /** The same bytes. */
  | { readonly kind: 'identical' }
  /** Not text, or not to be read: a sentence says why. */
  | { readonly kind: 'not-compared'; readonly sentence: Html }

export function compareScreen(data: CompareData): Screen {
  const { url, left, right, outcome } = data
  const isText = outcome.kind === 'compared'
  return {
    title: compareTexts.title({
      url: briefUrl(url.href),
      left: printShortDay(left.version.capturedAtMs),
      right: printShortDay(right.version.capturedAtMs),
    }),
    name: 'compare',
    script: 'compare.ts',
    typed: readableUrl(url.href),
    body: html`<header class="about-url">
<p class="eyebrow">${compareTexts.whatChanged}</p>
<h1>${urlElement(url.href)}</h1>
<p>${summary(data)}</p>
<ul class="tools"><li><a href="${calendarPath(url.href)}">${sharedTexts.allVersionsButton}</a></li></ul>
</header>
<div class="comparison">
<fieldset class="views"><legend class="unseen">${compareTexts.view}</legend>
${isText ? [choice('side', compareTexts.sideBySide, true), choice('inline', compareTexts.inLine, false), choice('links', compareTexts.links, false)] : nothing}
${choice('looks', compareTexts.looks, !isText)}
</fieldset>
<div class="sides">${[side(data, 'left'), side(data, 'right')]}</div>
${isText ? html`${textTable(outcome.text)}${linkLists(outcome.links, right.version)}` : nothing}
${looks(left.version, right.version, data.replayOrigin)}
</div>`,
  }
}

function choice(value: string, text: Html, isChosen: boolean): Html {
  return html`<input type="radio" name="view" id="view-${value}" value="${value}"${isChosen ? html` checked` : nothing}><label for="view-${value}">${text}</label>`
}

function side(data: CompareData, which: 'left' | 'right'): Html {
  const { version, previous, next } = data[which]
  const { capturedAtMs, url, status } = version
  const title = data.outcome.kind === 'compared' ? data.outcome.titles[which] : ''
  const pathTo = (other: Version): string =>
    which === 'left'
      ? comparePath(other.capturedAtMs, data.right.version.capturedAtMs, data.url.href)
      : comparePath(data.left.version.capturedAtMs, other.capturedAtMs, data.url.href)
  return html`<section class="side ${which}" aria-label="${which === 'left' ? compareTexts.earlier : compareTexts.later}">
<p class="when">${stepTo(previous, '←', compareTexts.oneEarlier, pathTo)}<a href="${versionPath(capturedAtMs, url)}">${timeElement(capturedAtMs, printMoment(capturedAtMs))}</a>${stepTo(next, '→', compareTexts.oneLater, pathTo)}</p>
<p class="note"><bdi>${title === '' ? compareTexts.noTitle : title}</bdi>${status >= 300 ? html` · ${compareTexts.answered({ status: String(status) })}` : nothing}</p>
</section>`
}

function stepTo(
  version: Version | undefined,
  arrow: string,
  name: Html,
  pathTo: (version: Version) => string,
): Html {
  if (version === undefined) return html`<span class="step" aria-hidden="true">${arrow}</span>`
  const spoken = html`${name}: ${printMoment(version.capturedAtMs)}`
  return html`<a class="step" href="${pathTo(version)}" aria-label="${spoken}" title="${spoken}">${arrow}</a>`
}

function summary({ left, right, outcome }: CompareData): Html {
  const apart = printDuration(Math.abs(right.version.capturedAtMs - left.version.capturedAtMs))
  switch (outcome.kind) {
    case 'identical':
      return compareTexts.identical({ apart })
    case 'not-compared':
      return outcome.sentence
    case 'compared': {
      const { counts } = outcome.text
      const { added, removed, leftOut } = outcome.links
      const cut = outcome.isCut ? html` ${compareTexts.cut}` : nothing
      if (counts.changed + counts.added + counts.removed + added.length + removed.length === 0) {
        return html`${compareTexts.onlyMarkup({ apart })}${cut}`
      }
      return html`${compareTexts.summary({
        apart,
        passages: html`<strong>${compareTexts.passages({ count: counts.changed })}</strong>`,
        added: html`<strong>${printCount(counts.added)}</strong>`,
        removed: html`<strong>${printCount(counts.removed)}</strong>`,
        links: html`<strong>${compareTexts.linkCount({ count: added.length + leftOut.added })}</strong>`,
        linksRemoved: html`<strong>${printCount(removed.length + leftOut.removed)}</strong>`,
      })}${cut}`
    }
  }
}
