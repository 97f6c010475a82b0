import { describe, expect, it } from 'vitest';
import { isLoopback, parseSparkUrl } from '../../src/cluster/spark-url.js';
import { hideSecrets } from '../../src/database/hide-secrets.js';
import { hidePassword, typedUrl } from '../../src/database/postgres-url.js';

describe('the address of a Spark Connect server', () => {
  it.each([
    ['sc://host', 'sc://host'],
    ['sc://host:15002/;token=hush', 'sc://host:15002'],
    ['sc://host/;use_ssl=true;token=hush;user_id=me', 'sc://host/;use_ssl=true;user_id=me'],
    ['sc://host/;x-key=hush', 'sc://host'],
    ['sc://hush@host/;use_ssl=true', 'sc://host/;use_ssl=true'],
    ['SC://host;token=hush', 'SC://host'],
    ['sc://host?token=hush', 'sc://host'],
    ['sc://host/;use_ssl=true&token=hush#hush', 'sc://host/;use_ssl=true'],
    ['sc://me:hush@host:15002/;t%6Fken=hush', 'sc://host:15002'],
    ['sc://me:hu/sh@host', 'sc://…'],
  ])('%s is shown as %s', (url, shown) => {
    expect(hideSecrets(url)).toBe(shown);
    expect(hidePassword(url)).toBe(shown);
    expect(typedUrl(shown)).toBe(url);
  });

  it('has its parts', () => {
    expect(parseSparkUrl('sc://[::1]:8/;use_ssl=true;token=a%3Db;user_id=me;X-Key=v')).toMatchObject({
      host: '::1',
      port: 8,
      tls: true,
      token: 'a=b',
      user: 'me',
      headers: { 'x-key': 'v' },
    });
    expect(parseSparkUrl('sc://host')).toMatchObject({ port: 15002, tls: false, token: undefined });
    expect(parseSparkUrl('sc://host', { SPARK_CONNECT_AUTHENTICATE_TOKEN: 'hush' })?.token).toBe('hush');
  });

  it.each([
    'sc://',
    'sc://host:99999',
    'sc://host/path',
    'sc://host/;token',
    'sc://ho st',
    'sc://host/;a b=c',
    'sc://host/;token=a b',
  ])('%s is none', (url) => {
    expect(parseSparkUrl(url)).toBeUndefined();
  });

  it('knows what stays on this machine', () => {
    expect(['localhost', '127.0.0.1', '::1'].every(isLoopback)).toBe(true);
    expect(['127.example.org', '10.0.0.1', 'localhost.example.org'].some(isLoopback)).toBe(false);
  });
});
