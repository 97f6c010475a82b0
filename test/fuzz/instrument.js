import { parseAst } from 'rolldown/parseAst';

/**
 * JavaScript that counts how often each of its branches is taken: function bodies, blocks, cases, and both sides of ?:, && and ||.
 * Counts are in `globalThis.fuzzCounters`. V8's own coverage says the same, but asking it takes milliseconds per input.
 */
export function instrument(code) {
  const inserted = [];
  let counters = 0;
  const count = () => `__counters[${counters++}]++`;
  const insert = (at, text, order = 0) => inserted.push({ at, text, order });

  /** Statements: in a block, or put into one. */
  const statement = (node) => {
    if (!node) return;
    if (node.type === 'BlockStatement') insert(node.start + 1, `${count()};`);
    else {
      insert(node.start, `{${count()};`);
      insert(node.end, '}', -node.start);
    }
  };
  const expression = (node) => {
    insert(node.start, `(${count()},`);
    insert(node.end, ')', -node.start);
  };

  const visit = (node) => {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        if (node.body) statement(node.body);
        break;
      case 'ArrowFunctionExpression':
        if (node.body.type === 'BlockStatement') statement(node.body);
        else expression(node.body);
        break;
      case 'IfStatement':
        statement(node.consequent);
        statement(node.alternate);
        break;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        statement(node.body);
        break;
      case 'SwitchCase':
        if (node.consequent.length > 0) insert(node.consequent[0].start, `${count()};`);
        break;
      case 'CatchClause':
        statement(node.body);
        break;
      case 'ConditionalExpression':
        expression(node.consequent);
        expression(node.alternate);
        break;
      case 'LogicalExpression':
        expression(node.right);
        break;
    }
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const each of value) each && typeof each.type === 'string' && visit(each);
      else if (value && typeof value.type === 'string') visit(value);
    }
  };
  visit(parseAst(code));

  // What ends goes before what begins at the same place, and what began last ends first.
  const ends = (text) => text === ')' || text === '}';
  inserted.sort((a, b) => a.at - b.at || ends(b.text) - ends(a.text) || a.order - b.order);
  let out = '';
  let done = 0;
  for (const { at, text } of inserted) {
    out += code.slice(done, at) + text;
    done = at;
  }
  const head = `const __counters = globalThis.fuzzCounters = new Uint32Array(${counters});\n`;
  return head + out + code.slice(done);
}
