-- job - some work for a database: inserts, joins, sorting, an index.
create table a(id integer primary key, k integer, v text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
	insert into a select i, (i * 16807) % 9973, 'v' || (i * 48271) % 65537 from n;
create index ak on a(k);
select count(*) from a x join a y on x.k = y.k where x.v < y.v;
select k, count(*), min(v), max(v) from a group by k order by 2, 3 limit 5;
update a set v = upper(v) where k % 7 = 1;
select sum(length(v)) from (select distinct v from a where v like '%9%');
delete from a where k % 3 = 0;
select count(*) from a;
drop table a;
