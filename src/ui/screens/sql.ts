// SQL: the owner asks the archive's tables, and sees the answer as a table.

import { tableNames, tables } from '../../formats/tables/columns.ts'
import { plural } from '../markup/amounts.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
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
    title: 'Questions in SQL',
    name: 'sql',
    body: html`<header class="about-url"><h1>Questions in SQL</h1>
<p>What this peer keeps, as tables that DuckDB reads: ${tableNames.map((name, place) => html`${place === 0 ? nothing : ', '}<code>${name}</code>`)}. Nothing can be changed here.</p></header>
${isOwner ? form(query) : ownersOnly}
${mistake === undefined ? nothing : html`<p class="trouble" role="alert"><strong>No answer:</strong> ${mistake}</p>`}
${answer === undefined ? nothing : answerTable(answer)}
<section aria-labelledby="columns"><h2 id="columns">Columns</h2>
${tableNames.map((name) => html`<details><summary><code>${name}</code>: ${tables[name].about}</summary><dl class="settings">${tables[name].columns.map((column) => html`<dt><code>${column.name}</code> ${column.type}</dt><dd>${column.about}</dd>`)}</dl></details>`)}</section>`,
  }
}

function form(query: string): Html {
  return html`<form class="opening asking" action="/sql" method="post"><div class="field"><label for="query">Query</label>
<textarea id="query" name="query" rows="5" spellcheck="false" autocomplete="off">${query === '' ? exampleQuery : query}</textarea></div>
<div class="actions"><button type="submit">Ask</button></div></form>`
}

function answerTable({ columns, rows, isCut }: Answer): Html {
  const left = rows.length - rowsShownMax
  return html`<section aria-labelledby="answer"><h2 id="answer">${isCut ? 'More than ' : ''}${plural(rows.length, 'row')}</h2>
<div class="scroll"><table class="plain"><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.slice(0, rowsShownMax).map((row) => html`<tr>${row.map((value) => html`<td>${shown(value)}</td>`)}</tr>`)}</tbody></table></div>
${left > 0 ? html`<p class="note">${plural(left, 'more row')}: ask with <code>polyhistor sql</code>, or add a limit.</p>` : nothing}</section>`
}

function shown(value: unknown): string {
  if (value === null) return '–'
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, cellCharsMax)
}
