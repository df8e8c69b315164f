// The log of the console: what was done, by whom, when, what came of it; and the way back where there is one.

import { type ActionRecord, isUndoable } from '../../console/action-record.ts'
import { wordsOf } from '../../console/actions.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { undoButton } from './action-forms.ts'
import { consoleScreen } from './console-screen.ts'

export const actionsShown = 50

export function actionsScreen(records: readonly ActionRecord[], notice: Html): Screen {
  const last = records.at(-1)
  return consoleScreen(
    'Log',
    html`${notice}<p>Everything that was done from the console of this peer, by a browser of its owner or a program with its token. The newest ten thousand are kept. Rules and takedowns that other peers set are listed with their own peers: <a href="/rules">Rules</a>.</p>
${records.length === 0 ? html`<p class="note">Nothing yet.</p>` : html`<ol class="actions-log">${records.map(actionItem)}</ol>`}
${records.length < actionsShown || last === undefined ? nothing : html`<p class="paging"><a class="button" href="/admin/actions?before=${last.id}">Earlier</a></p>`}`,
  )
}

function actionItem(record: ActionRecord): Html {
  const { id, kind, about, atMs, by, from, outcome, message, undoneAtMs } = record
  const state =
    outcome === 'done' ? message : outcome === 'failed' ? `Not done: ${message}` : 'The peer ended meanwhile.'
  return html`<li value="${id}" class="${outcome === 'failed' ? 'failed' : 'kept'}"><div><h2>${wordsOf(kind)}</h2>${about === '' ? nothing : html`<p class="about">${about}</p>`}<p>${state}</p>
<p class="note">${momentElement(atMs)}, by ${by === 'browser' ? 'the owner, in a browser' : 'a program with the token'} at ${from}${undoneAtMs === undefined ? nothing : html` · undone ${momentElement(undoneAtMs)}`}</p></div>${isUndoable(record) ? undoButton(id) : nothing}</li>`
}
