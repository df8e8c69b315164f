// The bridge's tables in PostgreSQL, and how databases of earlier versions become what they are now: each entry is carried out once,
// in its order. Never change one that was released: add another.

import { type ColumnType, type TableName, tables } from '../../../formats/tables/columns.ts'

const types: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  time: 'timestamptz',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  real: 'double precision',
}

/** Columns that the tables had at first: what is added later has a migration of its own. */
const firstColumns: Readonly<Record<TableName, number>> = { pages: 11, captures: 11, links: 10, changes: 12 }

const first = `
${(Object.keys(tables) as TableName[]).map(tableOf).join('\n')}
alter table changes add primary key (id);
create index pages_url on pages (md5(url));
create index pages_site on pages (site);
create index captures_url on captures (md5(url));
create index captures_site_time on captures (site, time);
create index links_from on links (md5(from_url));
create index links_to on links (md5(to_url));
create index links_sites on links (to_site, from_site);
create index changes_time on changes (time);
create index changes_url on changes (md5(url));
create table bridge (single boolean primary key default true check (single), cursor text, filled boolean not null default false, at timestamptz);
insert into bridge (single) values (true);
`

/** How the two versions of a page differ, and where redirects lead. */
const second = `alter table changes ${tables.changes.columns
  .slice(firstColumns.changes, 21)
  .map((column) => `add column "${column.name}" ${types[column.type]}`)
  .join(', ')};`

export const migrations: readonly string[] = [first, second]

function tableOf(name: TableName): string {
  const columns = tables[name].columns.slice(0, firstColumns[name])
  const listed = columns.map((column) => `"${column.name}" ${types[column.type]}`)
  return `create table ${name} (${listed.join(', ')});`
}
