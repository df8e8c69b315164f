// SQL: the owner asks the archive's tables, and sees the answer as a table.

import { tableNames, tables } from '../../formats/tables/columns.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { interfacesTexts } from '../texts/interfaces.ts'
import { sharedTexts } from '../texts/shared.ts'
import { ownersOnly } from './jobs/archive-now.ts'

interface Answer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly isCut: boolean
}

interface SqlData {
  readonly query: string
  readonly isOwner: boolean
  readonly answer?: Answer | undefined
  readonly mistake?: string | undefined
}

const rowsShownMax = 500
const cellCharsMax = 300
const exampleQuery =
  'select site, count(*) as captures from captures group by site order by captures desc limit 20'

export function sqlScreen({ query, isOwner, answer, mistake }: SqlData): Screen {
  return {
    title: interfacesTexts.sqlTitle,
    name: 'sql',
    body: html`<header class="about-url"><h1>${interfacesTexts.sqlTitle}</h1>
<p>${interfacesTexts.sqlLead({ tables: tableNames.map((name, place) => html`${place === 0 ? nothing : ', '}<code>${name}</code>`) })}</p></header>
${isOwner ? form(query) : ownersOnly}
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${interfacesTexts.noAnswer({ mistake: inEnglish(mistake) })}</p>`}
${answer === undefined ? nothing : answerTable(answer)}
<section aria-labelledby="columns"><h2 id="columns">${interfacesTexts.columns}</h2>
${tableNames.map((name) => html`<details><summary><code>${name}</code>: ${inEnglish(tables[name].about)}</summary><dl class="settings">${tables[name].columns.map((column) => html`<dt><code>${column.name}</code> ${inEnglish(column.type)}</dt><dd>${inEnglish(column.about)}</dd>`)}</dl></details>`)}</section>`,
  }
}

function form(query: string): Html {
  return html`<form class="opening asking" action="/sql" method="post"><div class="field"><label for="query">${interfacesTexts.query}</label>
<textarea id="query" name="query" rows="5" spellcheck="false" autocomplete="off">${query === '' ? exampleQuery : query}</textarea></div>
<div class="actions"><button type="submit">${interfacesTexts.ask}</button></div></form>`
}

function answerTable({ columns, rows, isCut }: Answer): Html {
  const left = rows.length - rowsShownMax
  return html`<section aria-labelledby="answer"><h2 id="answer">${isCut ? sharedTexts.moreThan : ''}${interfacesTexts.rows({ count: rows.length })}</h2>
<div class="scroll"><table class="plain"><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.slice(0, rowsShownMax).map((row) => html`<tr>${row.map((value) => html`<td dir="auto">${shown(value)}</td>`)}</tr>`)}</tbody></table></div>
${left > 0 ? html`<p class="note">${interfacesTexts.moreRows({ count: left })}</p>` : nothing}</section>`
}

function shown(value: unknown): string {
  if (value === null) return '–'
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, cellCharsMax)
}
