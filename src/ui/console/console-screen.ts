// What all pages of the console share: the bar that leads from one to the other, and the word about what was just done.

import { type ActionRecord, isUndoable } from '../../console/action-record.ts'
import { wordsOf } from '../../console/actions.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { undoButton } from './action-forms.ts'

const views = [
  ['/admin', 'Data'],
  ['/admin/storage', 'Storage'],
  ['/admin/stream', 'Stream'],
  ['/admin/roles', 'Roles'],
  ['/admin/actions', 'Log'],
] as const

export type ConsoleView = (typeof views)[number][1]

export function consoleScreen(view: ConsoleView, body: Html, script?: string): Screen {
  return {
    title: `${view} · Console`,
    name: 'console',
    ...(script !== undefined && { script }),
    masthead: 'no-field',
    body: html`<header class="console-head"><h1>Console</h1>
<nav aria-label="Console"><ul>${views.map(([path, name]) => html`<li><a href="${path}"${name === view ? html` aria-current="page"` : nothing}>${name}</a></li>`)}</ul></nav></header>
${body}`,
  }
}

/** What came of an action, with the way back. */
export function actionNotice(record: ActionRecord | undefined, back?: string, mistake?: string): Html {
  if (mistake !== undefined)
    return html`<p class="trouble" role="alert"><strong>Not done:</strong> ${mistake}</p>`
  if (record === undefined) return nothing
  return html`<div class="done" role="status"><p><strong>${wordsOf(record.kind)}</strong>${record.about === '' ? nothing : html`: ${record.about}`}. ${record.message}</p>${isUndoable(record) ? undoButton(record.id, back) : nothing}</div>`
}
