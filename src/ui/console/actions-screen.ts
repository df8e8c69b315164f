// The log of the console: what was done, by whom, when, what came of it; and the way back where there is one.

import { type ActionRecord, isUndoable } from '../../console/action-record.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { consoleTexts } from '../texts/console.ts'
import { undoButton } from './action-forms.ts'
import { consoleScreen } from './console-screen.ts'
import { actionWords } from './console-words.ts'

export const actionsShown = 50

export function actionsScreen(records: readonly ActionRecord[], notice: Html): Screen {
  const last = records.at(-1)
  return consoleScreen(
    'log',
    html`${notice}<p>${consoleTexts.logLead({ rules: (words) => html`<a href="/rules">${words}</a>` })}</p>
${records.length === 0 ? html`<p class="note">${consoleTexts.nothingYet}</p>` : html`<ol class="actions-log">${records.map(actionItem)}</ol>`}
${records.length < actionsShown || last === undefined ? nothing : html`<p class="paging"><a class="button" href="/admin/actions?before=${last.id}">${consoleTexts.earlier}</a></p>`}`,
  )
}

function actionItem(record: ActionRecord): Html {
  const { id, kind, about, atMs, by, from, outcome, message, undoneAtMs } = record
  const state =
    outcome === 'done'
      ? inEnglish(message)
      : outcome === 'failed'
        ? consoleTexts.notDone({ message: inEnglish(message) })
        : consoleTexts.endedMeanwhile
  return html`<li value="${id}" class="${outcome === 'failed' ? 'failed' : 'kept'}"><div><h2>${actionWords(kind)}</h2>${about === '' ? nothing : html`<p class="about" dir="auto">${about}</p>`}<p>${state}</p>
<p class="note">${(by === 'browser' ? consoleTexts.byOwner : consoleTexts.byProgram)({ when: momentElement(atMs), from })}${undoneAtMs === undefined ? nothing : html` · ${consoleTexts.undone({ when: momentElement(undoneAtMs) })}`}</p></div>${isUndoable(record) ? undoButton(id) : nothing}</li>`
}
