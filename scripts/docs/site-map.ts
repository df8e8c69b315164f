// Which pages the documentation has, in which order: the side of every page shows them so, and "next" follows them.
//
// Every Markdown file of docs/ is a page, also those that are not named here (decisions): they are reached by links and search.

export interface NavigationPage {
  /** Of the repository. */
  readonly source: string
  /** Shorter than the heading of the page, or as long. */
  readonly name: string
}

export interface NavigationGroup {
  readonly name: string
  readonly pages: readonly NavigationPage[]
}

export const navigation: readonly NavigationGroup[] = [
  {
    name: 'Begin',
    pages: [
      { source: 'docs/README.md', name: 'What it is' },
      { source: 'docs/archiving.md', name: 'Archive a site' },
      { source: 'docs/reading.md', name: 'Read and cite' },
      { source: 'docs/search.md', name: 'Search' },
      { source: 'docs/watches.md', name: 'Watches, feeds, webhooks' },
      { source: 'docs/extension.md', name: 'From your browser' },
      { source: 'docs/profiles.md', name: 'What only you are shown' },
    ],
  },
  {
    name: 'Together',
    pages: [
      { source: 'docs/peer.md', name: 'Run a peer' },
      { source: 'docs/network.md', name: 'Start a federation' },
      { source: 'docs/volunteers.md', name: 'Volunteer' },
      { source: 'docs/capacity.md', name: 'Capacity' },
    ],
  },
  {
    name: 'Look after it',
    pages: [
      { source: 'docs/operating/README.md', name: 'Operating' },
      { source: 'docs/rules.md', name: 'Rules and schedules' },
      { source: 'docs/console.md', name: 'The console' },
      { source: 'docs/security.md', name: 'Security' },
    ],
  },
  {
    name: 'For programs',
    pages: [
      { source: 'docs/api.md', name: 'Interfaces of a peer' },
      { source: 'docs/changes.md', name: 'The stream of changes' },
      { source: 'docs/interchange.md', name: 'Interchange' },
      { source: 'docs/tables.md', name: 'SQL and tables' },
      { source: 'docs/bridge.md', name: 'A database beside it' },
      { source: 'docs/client.md', name: 'The client library' },
      { source: 'docs/store.md', name: 'The store as a library' },
    ],
  },
  {
    name: 'Reference',
    pages: [
      { source: 'docs/commands.md', name: 'Commands' },
      { source: 'docs/protocol.md', name: 'Protocol of peers' },
      { source: 'docs/format.md', name: 'On disk' },
      { source: 'docs/proof.md', name: 'Signatures and proofs' },
      { source: 'docs/replay.md', name: 'What replay can show' },
      { source: 'docs/dependencies.md', name: 'Dependencies' },
      { source: 'docs/decisions/README.md', name: 'Why it is so' },
      { source: 'ARCHITECTURE.md', name: 'Architecture' },
      { source: 'CONTRIBUTING.md', name: 'Contributing' },
      { source: 'CHANGELOG.md', name: 'Changes of versions' },
    ],
  },
]
