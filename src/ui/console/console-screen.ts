// What all pages of the console share: the bar that leads from one to the other, and the word about what was just done.

import { type ActionRecord, isUndoable } from '../../console/action-record.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { consoleTexts } from '../texts/console.ts'
import { sharedTexts } from '../texts/shared.ts'
import { undoButton } from './action-forms.ts'
import { actionWords } from './console-words.ts'

const views = [
  ['/admin', 'data', consoleTexts.data],
  ['/admin/storage', 'storage', consoleTexts.storage],
  ['/admin/stream', 'stream', consoleTexts.stream],
  ['/admin/roles', 'roles', consoleTexts.roles],
  ['/admin/actions', 'log', consoleTexts.log],
] as const

export type ConsoleView = (typeof views)[number][1]

export function consoleScreen(view: ConsoleView, body: Html, script?: string): Screen {
  return {
    title: html`${consoleTexts[view]} · ${sharedTexts.console}`,
    name: 'console',
    ...(script !== undefined && { script }),
    masthead: 'no-field',
    body: html`<header class="console-head"><h1>${sharedTexts.console}</h1>
<nav aria-label="${sharedTexts.console}"><ul>${views.map(([path, name, words]) => html`<li><a href="${path}"${name === view ? html` aria-current="page"` : nothing}>${words}</a></li>`)}</ul></nav></header>
${body}`,
  }
}

/** What came of an action, with the way back. */
export function actionNotice(record: ActionRecord | undefined, back?: string, mistake?: string): Html {
  if (mistake !== undefined)
    return html`<p class="trouble" role="alert">${sharedTexts.notDone({ mistake: inEnglish(mistake) })}</p>`
  if (record === undefined) return nothing
  return html`<div class="action-done" role="status"><p><strong>${actionWords(record.kind)}</strong>${record.about === '' ? nothing : html`: <bdi>${record.about}</bdi>`}. ${inEnglish(record.message)}</p>${isUndoable(record) ? undoButton(record.id, back) : nothing}</div>`
}
