// The tree of the console as markup. Every item is a link to its own page, so that it works without scripts; web/console.ts makes
// of it a tree that opens in place and follows the keyboard.

import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import { urlElement } from '../markup/shown-url.ts'
import { consoleTexts } from '../texts/console.ts'
import type { Branch, BranchItem } from './branches.ts'
import { type ConsoleNode, nodePath, nodeQuery } from './node.ts'

/** A branch that is open, and what is open in it. */
export interface OpenBranch {
  readonly branch: Branch
  /** The item that is open, and its branch. */
  readonly open?: { readonly node: ConsoleNode; readonly within: OpenBranch | undefined } | undefined
}

export function treeOf(name: Html | string, root: OpenBranch, selected: ConsoleNode): Html {
  const item: BranchItem = { node: { kind: 'network' }, label: name, facts: '' }
  return html`<ul class="tree" role="tree" aria-label="${consoleTexts.treeLabel}">${treeItem(item, 1, selected, root)}</ul>`
}

/** The items of a branch, and one for what follows. */
export function branchItems(
  node: ConsoleNode,
  { branch, open }: OpenBranch,
  level: number,
  selected?: ConsoleNode,
): Html {
  const { items, next, trouble } = branch
  const openQuery = open && nodeQuery(open.node)
  const isListed = items.some((item) => nodeQuery(item.node) === openQuery)
  const path = open && !isListed ? [itemOf(open.node)] : []
  return html`${[...path, ...items].map((item) =>
    treeItem(
      item,
      level,
      selected,
      openQuery !== undefined && nodeQuery(item.node) === openQuery ? open?.within : undefined,
    ),
  )}${
    trouble !== undefined
      ? html`<li class="tree-note" role="treeitem" aria-level="${level}">${consoleTexts.nothingTold({ trouble: inEnglish(trouble) })}</li>`
      : items.length === 0 && path.length === 0
        ? html`<li class="tree-note" role="treeitem" aria-level="${level}">${consoleTexts.nothingHere}</li>`
        : nothing
  }${next === undefined ? nothing : moreItem(node, next, level)}`
}

/** What a page of a list does not show, and was asked for by its address. */
function itemOf(node: ConsoleNode): BranchItem {
  switch (node.kind) {
    case 'site':
      return { node, label: node.site, facts: '' }
    case 'queue':
      return { node, label: node.queue?.host ?? consoleTexts.keptFresh, facts: '' }
    case 'url':
      return { node, label: node.url, facts: '', isUrl: true, isLeaf: true }
    case 'peer':
      return { node, label: `…${node.peer.slice(-8)}`, facts: '' }
    case 'network':
      return { node, label: consoleTexts.theNetwork, facts: '' }
  }
}

function treeItem(
  { node, label, facts, isUrl, isLeaf, tone }: BranchItem,
  level: number,
  selected: ConsoleNode | undefined,
  within: OpenBranch | undefined,
): Html {
  const query = nodeQuery(node)
  const isSelected = selected !== undefined && nodeQuery(selected) === query
  const expanded = isLeaf ? nothing : html` aria-expanded="${within === undefined ? 'false' : 'true'}"`
  return html`<li role="treeitem" aria-level="${level}" aria-selected="${isSelected ? 'true' : 'false'}"${expanded} data-node="${query}" data-kind="${node.kind}"><a class="tree-row${isSelected ? ' selected' : ''}" href="${nodePath(node)}"><span class="twist" aria-hidden="true"></span><span class="dot ${tone ?? 'none'}" aria-hidden="true"></span><span class="tree-label">${isUrl ? urlElement(String(label)) : html`<bdi>${label}</bdi>`}</span> <span class="tree-facts">${facts}</span></a>${
    within === undefined
      ? nothing
      : html`<ul role="group">${branchItems(node, within, level + 1, selected)}</ul>`
  }</li>`
}

function moreItem(node: ConsoleNode, next: string, level: number): Html {
  const query = new URLSearchParams(nodeQuery(node))
  query.set('after', next)
  return html`<li role="treeitem" aria-level="${level}" class="more" data-more="${String(query)}"><a class="tree-row" href="/admin?${String(query)}"><span class="twist" aria-hidden="true"></span><span class="tree-label">${consoleTexts.more}</span></a></li>`
}
