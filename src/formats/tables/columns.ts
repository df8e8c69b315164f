// Columns: the archive as tables, for databases and data frames. What stands here is what docs/tables.md says, what Parquet files
// and DuckDB have, and what the bridge makes in PostgreSQL.
//
// Columns are only added, at the end: whoever reads files of last year and of this year together counts on it.

/** Times are milliseconds since 1970 in rows, and timestamps in UTC in databases. */
export type ColumnType = 'text' | 'time' | 'integer' | 'bigint' | 'boolean' | 'real'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly about: string
}

export type TableName = 'pages' | 'captures' | 'links' | 'changes'
export type Value = string | number | boolean | null
/** In the order of the columns. */
export type Row = readonly Value[]

const url = column('url', 'text', 'the URL, as it was fetched')
const site = column('site', 'text', 'its registrable domain')
const host = column('host', 'text', 'its host name')

export const tables: Readonly<
  Record<TableName, { readonly about: string; readonly columns: readonly Column[] }>
> = {
  pages: {
    about: 'one row for each URL that was archived',
    columns: [
      url,
      site,
      host,
      column('first_time', 'time', 'when it was captured first'),
      column('last_time', 'time', 'when it was captured last'),
      column('captures', 'integer', 'how often it was captured'),
      column('versions', 'integer', 'how often its content was another than before, the first included'),
      column('status', 'integer', 'HTTP status of the last capture'),
      column('mime', 'text', 'media type of the last capture'),
      column('digest', 'text', 'content of the last capture; null when it was never known'),
      column('bytes', 'bigint', 'size of that content'),
    ],
  },
  captures: {
    about: 'one row for each capture of a URL',
    columns: [
      url,
      site,
      host,
      column('time', 'time', 'when it was captured'),
      column('status', 'integer', 'HTTP status'),
      column('mime', 'text', 'media type'),
      column('digest', 'text', 'its content: sha256:…; null when it was never known'),
      column('bytes', 'bigint', 'size of that content'),
      column('stored_bytes', 'bigint', 'what it takes on the disk'),
      column('kind', 'text', 'how it is kept: full, same, not-modified, delta …'),
      column('record', 'text', 'UUID of its record, the same on all peers'),
    ],
  },
  links: {
    about: 'one row for each link of a page and each time that it came',
    columns: [
      column('from_url', 'text', 'the page'),
      column('from_site', 'text', 'its site'),
      column('to_url', 'text', 'where the link leads'),
      column('to_site', 'text', 'the site of that'),
      column('relation', 'text', 'the element and attribute, or header: a href, img src, Location header …'),
      column('nofollow', 'boolean', 'whether the page does not vouch for it'),
      column('text', 'text', 'what it is linked with'),
      column('first_seen', 'time', 'the first version that had it'),
      column('last_seen', 'time', 'when it was there last'),
      column('gone', 'time', 'the first version that lacked it; null while the newest has it'),
    ],
  },
  changes: {
    about: 'one row for each event of the stream of changes that is still kept, of all peers',
    columns: [
      column('id', 'text', 'names the change, the same on all peers'),
      column('kind', 'text', 'new, changed, moved, gone or back'),
      url,
      site,
      column('time', 'time', 'when it was seen'),
      column('cosmetic', 'boolean', 'only what differs at every visit'),
      column('digest_before', 'text', 'the content before'),
      column('digest', 'text', 'the content now'),
      column('bytes_before', 'bigint', 'its size before'),
      column('bytes', 'bigint', 'its size now'),
      column('status', 'integer', 'HTTP status'),
      column('mime', 'text', 'media type'),
      column('word_share', 'real', 'of the words of both versions, the part that stands in one only: 0 to 1'),
      column('links_added', 'integer', 'links that the version before lacked'),
      column('links_removed', 'integer', 'links that it had and this one lacks'),
      column('title_before', 'text', 'the title before'),
      column('title', 'text', 'the title now'),
      column('target_before', 'text', 'of redirects: where it led before'),
      column('target', 'text', 'where it leads now'),
      column('failures', 'integer', 'visits in a row that brought nothing, where it is gone for that'),
      column('job', 'text', 'the crawl that asked for the visit; null when it was to keep the page fresh'),
    ],
  },
}

export const tableNames = Object.keys(tables) as TableName[]

export function isTableName(name: string): name is TableName {
  return Object.hasOwn(tables, name)
}

function column(name: string, type: ColumnType, about: string): Column {
  return { name, type, about }
}
