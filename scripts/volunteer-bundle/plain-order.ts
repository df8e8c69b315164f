// Sorting by a language's rules loads their tables, 2 MB that an idle volunteer would keep. libp2p sorts addresses so, which only have to
// be in the same order each time; nothing in a volunteer is sorted for people.

String.prototype.localeCompare = function (other: string): number {
  const own = String(this)
  return own < other ? -1 : own > other ? 1 : 0
}
