import { describe, expect, it } from 'vitest';
import { absent, atMost, equals, lessThan, render } from '#lib/table/expressions.ts';

describe('rendering conditions and updates', () => {
  it('puts no attribute name or value into the text of an expression', () => {
    const rendered = render(
      { status: equals('active'), count: lessThan(3) },
      { set: { name: 'x' }, add: { count: 1 } },
    );
    expect(rendered.ConditionExpression).toBe('#0 = :0 AND #1 < :1');
    expect(rendered.UpdateExpression).toBe('SET #2 = :2 ADD #1 :3');
    expect(rendered.ExpressionAttributeNames).toEqual({ '#0': 'status', '#1': 'count', '#2': 'name' });
    expect(rendered.ExpressionAttributeValues).toEqual({ ':0': 'active', ':1': 3, ':2': 'x', ':3': 1 });
  });

  it('removes an attribute that is set to undefined', () => {
    expect(render(undefined, { set: { a: undefined, b: 1, c: undefined } })).toMatchObject({
      UpdateExpression: 'SET #0 = :0 REMOVE #1, #2',
      ExpressionAttributeNames: { '#0': 'b', '#1': 'a', '#2': 'c' },
    });
  });

  it('joins alternatives with OR and addresses nested attributes with dots', () => {
    const { ConditionExpression, ExpressionAttributeNames } = render([
      { pending: absent },
      { 'pending.beatAtMs': atMost(5) },
    ]);
    expect(ConditionExpression).toBe('(attribute_not_exists(#0)) OR (#0.#1 <= :0)');
    expect(ExpressionAttributeNames).toEqual({ '#0': 'pending', '#1': 'beatAtMs' });
  });

  it('renders nothing for no input', () => {
    expect(render(undefined)).toEqual({});
  });
});
