// The form of a watch: to make one, to try it out, and to change one.

import type { WatchTrial } from '../../../changes/watches/watches.ts'
import type { WrittenWatch } from '../../../changes/watches/written-watch.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { watchesTexts } from '../../texts/watches.ts'

/** As it was typed. */
export type TypedWatch = Readonly<Record<string, string>>

export interface WatchFormData {
  readonly typed: TypedWatch
  readonly trial?: WatchTrial | undefined
  readonly mistake?: string | undefined
}

const kinds: readonly (readonly [string, Html])[] = [
  ['url', watchesTexts.thisPage],
  ['prefix', watchesTexts.belowAddress],
  ['site', watchesTexts.ofItsSite],
]
const parts: readonly (readonly [string, Html])[] = [
  ['page', watchesTexts.wholePage],
  ['main', watchesTexts.itsMainText],
  ['selector', watchesTexts.bySelector],
]
const browsers: readonly (readonly [string, Html])[] = [
  ['', watchesTexts.asCrawl],
  ['auto', watchesTexts.whereMore],
  ['always', watchesTexts.always],
  ['never', watchesTexts.never],
]

export function watchForm({ typed, trial, mistake }: WatchFormData, id?: string): Html {
  const action = id === undefined ? '/watches' : `/watches/${encodeURIComponent(id)}`
  const isOpen =
    id !== undefined ||
    ['ignore', 'ignorePatterns', 'leastChange', 'every', 'browser', 'name', 'cosmetic'].some(
      (name) => typed[name],
    )
  return html`<form class="rule-form watch-form" action="${action}" method="post">
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${sharedTexts.notDone({ mistake: inEnglish(mistake) })}</p>`}
<div class="rule-target"><span class="field"><label for="watch-of">${watchesTexts.address}</label>
<input id="watch-of" name="of" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="${watchesTexts.addressPlaceholder}" value="${typed.of ?? ''}"></span>
<span class="choice"><label for="watch-kind">${watchesTexts.watch}</label><select id="watch-kind" name="kind">${options(kinds, typed.kind)}</select></span></div>
<div class="rule-fields">
<span class="rule-field"><label for="watch-part">${watchesTexts.ofIt}</label><select id="watch-part" name="part">${options(parts, typed.part)}</select></span>
${field('selector', watchesTexts.cssSelector, typed, watchesTexts.selectorPlaceholder)}
</div>
<details class="more-choices"${isOpen ? html` open` : nothing}><summary>${watchesTexts.moreChoices}</summary><div class="rule-fields">
${field('name', watchesTexts.callIt, typed, '')}
${field('every', watchesTexts.visitEvery, typed, watchesTexts.everyPlaceholder)}
${field('leastChange', watchesTexts.leastShare, typed, '0.05')}
<span class="rule-field"><label for="watch-browser">${watchesTexts.inABrowser}</label><select id="watch-browser" name="browser">${options(browsers, typed.browser)}</select></span>
</div><div class="rule-fields wide">
${area('ignore', watchesTexts.ignoreSelectors, typed)}
${area('ignorePatterns', watchesTexts.ignorePatterns, typed)}
</div>
<p><label><input type="checkbox" name="cosmetic" value="1"${typed.cosmetic ? html` checked` : nothing}> ${watchesTexts.cosmetic}</label></p></details>
${trial === undefined ? nothing : trialResult(trial)}
<div class="actions"><button type="submit" name="action" value="${id === undefined ? 'add' : 'change'}" class="primary">${id === undefined ? watchesTexts.watchIt : watchesTexts.changeIt}</button> <button type="submit" name="action" value="try">${watchesTexts.tryIt}</button></div>
</form>`
}

/** What a form holds, as the API takes it. */
export function writtenOf(typed: TypedWatch): WrittenWatch {
  const lines = (text: string | undefined) => (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  return {
    [typed.kind === 'prefix' || typed.kind === 'site' ? typed.kind : 'url']: typed.of ?? '',
    name: typed.name ?? '',
    ...(typed.part === 'selector' ? { selector: typed.selector ?? '' } : { mainText: typed.part === 'main' }),
    ignore: lines(typed.ignore),
    ignorePatterns: lines(typed.ignorePatterns),
    leastChange: typed.leastChange ?? '',
    cosmetic: typed.cosmetic === '1',
    every: typed.every ?? '',
    browser: typed.browser ?? '',
  }
}

/** And back. */
export function typedOf(written: WrittenWatch): TypedWatch {
  const { url, prefix, site, selector, mainText } = written
  const lines = (list: unknown) => (Array.isArray(list) ? list.join('\n') : '')
  return {
    of: String(url ?? prefix ?? site ?? ''),
    kind: prefix !== undefined ? 'prefix' : site !== undefined ? 'site' : 'url',
    part: selector !== undefined ? 'selector' : mainText ? 'main' : 'page',
    selector: String(selector ?? ''),
    name: String(written.name ?? ''),
    ignore: lines(written.ignore),
    ignorePatterns: lines(written.ignorePatterns),
    leastChange: String(written.leastChange ?? ''),
    cosmetic: written.cosmetic ? '1' : '',
    every: String(written.every ?? ''),
    browser: String(written.browser ?? ''),
  }
}

function trialResult({ url, capturedAtMs, isFound, lines, lineCount }: WatchTrial): Html {
  const of = html`${urlElement(url)}, ${momentElement(capturedAtMs)}`
  if (!isFound)
    return html`<p class="trouble" role="status">${watchesTexts.nothingSelected({ page: of })}</p>`
  const more = lineCount - lines.length
  return html`<div class="watch-trial" role="status"><p>${watchesTexts.trial({ page: of })}</p>
<ul>${lines.map((line) => html`<li dir="auto">${line}</li>`)}</ul>${more > 0 ? html`<p class="note">${watchesTexts.moreLines({ count: more })}</p>` : nothing}</div>`
}

function field(name: string, label: Html, typed: TypedWatch, placeholder: Html | string): Html {
  return html`<span class="rule-field"><label for="watch-${name}">${label}</label><input id="watch-${name}" name="${name}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${placeholder}" value="${typed[name] ?? ''}"></span>`
}

function area(name: string, label: Html, typed: TypedWatch): Html {
  return html`<span class="rule-field"><label for="watch-${name}">${label}</label><textarea id="watch-${name}" name="${name}" rows="2" autocomplete="off" autocapitalize="off" spellcheck="false">${typed[name] ?? ''}</textarea></span>`
}

function options(all: readonly (readonly [string, Html])[], chosen: string | undefined): Html[] {
  return all.map(
    ([value, words]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${words}</option>`,
  )
}
