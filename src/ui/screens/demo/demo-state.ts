// What the demo's page shows: its state, once a second, and each change as it comes.

export interface DemoPeerState {
  readonly name: string
  readonly state: 'starting' | 'running' | 'down'
  readonly url: string | undefined
  readonly captures: number | undefined
  readonly bytesOnDisk: number | undefined
  readonly sitesCrawled: number | undefined
}

export interface DemoArc {
  /** 0 to 1, clockwise: where on the ring it ends, and how much of it it is. */
  readonly end: number
  readonly share: number
  /** Of the list of peers; undefined: of one that is not of this demo. */
  readonly peer: number | undefined
}

export interface DemoSite {
  readonly title: string
  readonly what: string
  readonly live: string
  /** 0 to 1: where on the ring. */
  readonly place: number | undefined
  /** Of the list of peers: who owns its place. */
  readonly owner: number | undefined
}

export interface DemoState {
  readonly peers: readonly DemoPeerState[]
  readonly arcs: readonly DemoArc[]
  readonly sites: readonly DemoSite[]
  readonly copiesWanted: number
  /** How many captures have no copy, one, two and so on. */
  readonly histogram: readonly number[]
  readonly ranked: readonly { readonly url: string; readonly score: number }[]
}

export interface DemoChange {
  readonly id: string
  readonly kind: string
  readonly url: string
  readonly site: string
  readonly time: string
  readonly cosmetic: boolean
  readonly title?: string
  readonly wordShare?: number
  /** The peer that it was read from. */
  readonly from: string
}
